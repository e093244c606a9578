/// A provider that can check, before anybody signs in, whether a sign-in at its server could begin. `identity init` and
/// `identity doctor` run this check.
public protocol ServerExamining: IdentityProvider {
    /// Sends the requests that show whether a sign-in could begin, usually those for the server's metadata. Starts no
    /// sign-in, asks no person, and stores no session and no client.
    /// - Returns: the server; `nil` for a provider that has no server.
    /// - Throws: the error with which a sign-in would fail for the same cause.
    func examineServer() async throws -> ExaminedServer?
}

/// A server at which a sign-in could begin.
public struct ExaminedServer: Sendable, Equatable {
    package let address: String
    package let namesItself: Bool?

    /// Describes a server.
    /// - Parameters:
    ///   - address: the address of the server, or of the resource that named the server. It is kept without user name,
    ///     password, query and fragment.
    ///   - namesItself: whether authorization responses name their issuer (RFC 9207); `nil` for a server without
    ///     authorization responses.
    public init(address: String, namesItself: Bool? = nil) {
        (self.address, self.namesItself) = (address.addressAlone, namesItself)
    }
}
