/// A provider that can check, before anybody signs in, whether a sign-in at its server would get as far as the person.
/// `identity init` and `identity doctor` run this check.
public protocol ServerExamining: IdentityProvider {
    /// Sends the first requests of a sign-in to the server, by the same code as a sign-in. No person is asked, and
    /// nothing is stored.
    /// - Returns: the server; `nil` for a provider that has no server.
    /// - Throws: the error that a sign-in would throw.
    func examineServer() async throws -> ExaminedServer?
}

/// A server at which a sign-in could begin.
public struct ExaminedServer: Sendable, Equatable {
    /// The address of the server, or of the resource that named the server, without user name, password, query and
    /// fragment.
    public let address: String
    /// Whether authorization responses name their issuer (RFC 9207); `nil` for a server without authorization
    /// responses.
    package let namesItself: Bool?

    public init(address: String, namesItself: Bool? = nil) {
        (self.address, self.namesItself) = (address.addressAlone, namesItself)
    }
}
