/// How a connection is encrypted and the server's certificate is verified, named as in libpq's `sslmode`.
public enum PostgresTLS: String, Sendable, CaseIterable, Codable {
    /// Verifies the certificate and the host's name.
    case verified = "verify-full"
    /// Verifies the certificate, but not the host's name.
    case anyHost = "verify-ca"
    /// Encrypts without verifying the certificate, so an attacker who impersonates the server can read everything.
    case unverified = "require"
    /// Encrypts if the server supports it, without verifying the certificate.
    case preferred = "prefer"
    /// Encrypts only if the server requires it, without verifying the certificate.
    case allowed = "allow"
    case disabled = "disable"

    /// Whether this mode verifies and encrypts at least as much as `other`.
    func isAtLeast(_ other: PostgresTLS) -> Bool {
        // The cases are declared from the strongest to the weakest.
        let rank = { Self.allCases.firstIndex(of: $0) ?? 0 }
        return rank(self) <= rank(other)
    }
}
