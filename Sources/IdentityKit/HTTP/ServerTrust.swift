import Foundation

#if canImport(Security)
import Security
#endif

enum ServerTrust: Sendable {
    case system
    /// Trusts the servers that ``system`` trusts, and also a server whose certificate is one of the associated
    /// certificates or was issued by one of them.
    case systemAnd(TrustedCertificates)

    /// Creates ``systemAnd(_:)`` with `certificates`, after checking that the system can read each of them.
    /// - Throws: ``TrustedCertificatesError/unsupported`` on Linux, ``TrustedCertificatesError/notACertificate`` when
    ///   there are no certificates or the system cannot read one.
    init(_ certificates: TrustedCertificates) throws(TrustedCertificatesError) {
        #if canImport(Security)
        let anchors = certificates.certificates.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
        guard anchors.count == certificates.certificates.count, !anchors.isEmpty else { throw .notACertificate }
        self = .systemAnd(certificates)
        #else
        throw .unsupported
        #endif
    }

    /// Returns the credential that accepts the server of a challenge, or `nil` to leave the decision to the system.
    ///
    /// The result is `nil` on Linux, without added certificates, for a challenge that is not about the server's
    /// certificate, and for a certificate that is not trusted even with the added ones.
    func credential(for challenge: URLAuthenticationChallenge) -> URLCredential? {
        #if canImport(Security)
        let space = challenge.protectionSpace
        // Only challenges about the server's certificate have a trust object.
        guard case .systemAnd(let certificates) = self, let trust = space.serverTrust else { return nil }
        let anchors = certificates.certificates.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
        // The policy also checks the name of the host.
        guard SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, space.host as CFString)) == errSecSuccess,
            SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess,
            // Keep the system's own anchors.
            SecTrustSetAnchorCertificatesOnly(trust, false) == errSecSuccess,
            SecTrustEvaluateWithError(trust, nil)
        else { return nil }
        return URLCredential(trust: trust)
        #else
        return nil
        #endif
    }
}
