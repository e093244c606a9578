import IdentityKit
import Testing

// snippet: an-sdk
/// Reads the mail of whoever is signed in.
public struct MailService: Sendable {
    private let identity: any IdentityProvider

    /// A service for the account that `identity` answers with.
    public init(identity: any IdentityProvider) { self.identity = identity }

    /// The token for a call, or `nil` when nobody is signed in.
    public func token() async throws -> String? {
        try await identity.token(scopes: ["mail"])
    }
}
// end snippet

// snippet: a-default-chain
func makeDefaultIdentity(store: any TokenStore) throws -> IdentityProviderChain {
    let machine = IdentityProviders.environmentToken(
        for: AccountID(account: "build", realm: "machine"), variable: "MAIL_TOKEN")
    let sister = IdentityProviders.storedAccount(realm: "work", backend: "https://id.example.com", store: store)
    return try IdentityProviderChain(
        [.init("machine", machine), .init("sister", sister)],
        store: store, onSessionEnd: .fallBack
    ) { event in
        if event.level >= .info { print(event) }
    }
}
// end snippet

// snippet: explaining
/// The answers of the providers of `chain`, for a report.
func report(of chain: IdentityProviderChain) async -> [String] {
    await chain.explain(scopes: ["mail"], deviceToken: "").map(\.description)
}
// end snippet

/// The test of the article, and what the article says beside it.
@Suite struct StartingAnSDKTests {
    // snippet: testing-an-sdk
    @Test func token() async throws {
        let identity = IdentityProviders.staticToken("a token", for: AccountID(account: "ada", realm: "test"))
        let service = MailService(identity: identity)
        #expect(try await service.token() == "a token")
    }
    // end snippet

    @Test("Where neither the machine nor a person is there, the token is nil, and the report says why")
    func nobody() async throws {
        let chain = try makeDefaultIdentity(store: MemoryTokenStore())
        #expect(try await MailService(identity: chain).token() == nil)
        #expect(
            await report(of: chain) == [
                "machine: not configured: MAIL_TOKEN is not set", "sister: nobody has signed in",
            ])
    }
}
