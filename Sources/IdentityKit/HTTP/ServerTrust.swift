import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(Security)
import Security
#endif

/// Which servers a transport speaks to: those the system trusts, and those of authorities that were added.
enum ServerTrust: Sendable {
    /// What the system trusts.
    case system
    /// That, and what these have issued.
    case systemAnd(TrustedCertificates)

    /// - Throws: ``TrustedCertificatesError`` when this system takes no others, or cannot read one.
    init(_ certificates: TrustedCertificates) throws(TrustedCertificatesError) {
        #if canImport(Security)
        let anchors = certificates.certificates.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
        guard anchors.count == certificates.certificates.count, !anchors.isEmpty else { throw .notACertificate }
        self = .systemAnd(certificates)
        #else
        throw .unsupported
        #endif
    }

    /// The credential that accepts the server of a challenge; `nil` to leave the decision to the system, which refuses
    /// what it does not trust.
    func credential(for challenge: URLAuthenticationChallenge) -> URLCredential? {
        #if canImport(Security)
        let space = challenge.protectionSpace
        // Only a question about the server's certificate comes with a trust.
        guard case .systemAnd(let certificates) = self, let trust = space.serverTrust else { return nil }
        let anchors = certificates.certificates.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
        // With the name of the host, which is checked whoever has issued the certificate.
        guard SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, space.host as CFString)) == errSecSuccess,
            SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess,
            // Besides the system's own, not in their place.
            SecTrustSetAnchorCertificatesOnly(trust, false) == errSecSuccess,
            SecTrustEvaluateWithError(trust, nil)
        else { return nil }
        return URLCredential(trust: trust)
        #else
        return nil
        #endif
    }
}
