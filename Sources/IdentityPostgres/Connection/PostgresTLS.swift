/// How the server of a connection is verified, by the names of libpq's `sslmode`.
public enum PostgresTLS: String, Sendable, CaseIterable, Codable {
    /// The certificate and the host's name are verified.
    case verified = "verify-full"
    /// The certificate is verified, the host's name is not.
    case anyHost = "verify-ca"
    /// Encrypted; anybody in between can read along.
    case unverified = "require"
    /// Encrypted where the server likes to.
    case preferred = "prefer"
    /// Encrypted where the server insists.
    case allowed = "allow"
    case disabled = "disable"
}
