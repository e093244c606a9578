/// Why the certificate of a server is not trusted.
public enum CertificateDefect: String, Sendable, Equatable, CaseIterable {
    /// The certificate is self-signed, or issued by an authority that this system does not trust.
    case unknownAuthority
    case expired
    case notYetValid
    case otherHost
    /// The system refused the certificate for another reason, such as a revocation.
    case refused

    package var reason: String {
        switch self {
        case .unknownAuthority: "It is not signed by a trusted authority."
        case .expired: "It has expired."
        case .notYetValid: "It is not valid yet."
        case .otherHost: "It is for another host."
        case .refused: "The system refused it."
        }
    }

    package var advice: String {
        switch self {
        case .unknownAuthority: CertificateAdvice.addAuthority
        case .expired: "Check this machine's clock, or ask the server's operator to renew it."
        case .notYetValid: "Check this machine's clock."
        case .otherHost: "Check the address, or ask the server's operator to replace it."
        case .refused: "Ask the server's operator."
        }
    }

    /// Recognizes the defect by the message of a TLS library or libcurl. On Linux only the message distinguishes the
    /// defects.
    /// - Returns: `nil` for a message about something other than a certificate.
    init?(words: String) {
        let words = words.lowercased()
        func says(_ parts: String...) -> Bool { parts.contains(where: words.contains) }
        if says("certificate has expired") {
            self = .expired
        } else if says("certificate is not yet valid") {
            self = .notYetValid
        } else if says("does not match target host", "no alternative certificate subject name") {
            self = .otherHost
        } else if says(
            "self-signed certificate", "self signed certificate", "unable to get local issuer",
            "unable to get issuer", "unable to verify the first certificate")
        {
            self = .unknownAuthority
        } else if says("certificate problem", "peer certificate", "certificate verif", "certificate is not trusted") {
            self = .refused
        } else {
            return nil
        }
    }
}
