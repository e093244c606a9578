/// How the server's certificate is verified, named as in libpq's `sslmode`.
public enum PostgresTLS: String, Sendable, CaseIterable, Codable {
    /// Verifies the certificate and the host's name.
    case verified = "verify-full"
    /// Verifies the certificate, but not the host's name.
    case anyHost = "verify-ca"
    /// Encrypts without verifying, so that an attacker in between can read everything.
    case unverified = "require"
    /// Encrypts if the server supports it.
    case preferred = "prefer"
    /// Encrypts if the server requires it.
    case allowed = "allow"
    case disabled = "disable"
}
