/// A provider whose server can be asked, before anybody signs in, whether a sign-in would get as far as the person. The tool
/// examines the servers of such providers.
public protocol ServerExamining: IdentityProvider {
    /// Asks the server what a sign-in asks first, by the code of the sign-in. Nobody is asked, and nothing is stored.
    /// - Returns: the server; `nil` for a provider that has none.
    /// - Throws: what a sign-in would throw.
    func examineServer() async throws -> ExaminedServer?
}

/// A server that a sign-in can begin at.
public struct ExaminedServer: Sendable, Equatable {
    /// The server's address, or that of the resource that named the server.
    public let address: String
    /// Whether its authorization responses say whose they are (RFC 9207); `nil` for a server that sends none.
    package let namesItself: Bool?

    /// A server that was asked.
    public init(address: String, namesItself: Bool? = nil) {
        (self.address, self.namesItself) = (address.addressAlone, namesItself)
    }
}
