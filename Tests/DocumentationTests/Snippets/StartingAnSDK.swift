import IdentityKit
import Testing

// snippet: an-sdk
/// Reads the mail of whoever is signed in.
public struct MailService: Sendable {
    private let identity: any IdentityProvider
    private let deviceToken: String

    /// A service for the account that `identity` answers with.
    public init(identity: any IdentityProvider, deviceToken: String) {
        self.identity = identity
        self.deviceToken = deviceToken
    }

    /// The token for a call, or `nil` when nobody is signed in.
    public func token() async throws -> String? {
        guard let account = try await identity.activeAccount(scopes: ["mail"], deviceToken: deviceToken) else {
            return nil
        }
        return try await identity.accessToken(for: account, scopes: ["mail"])
    }
}
// end snippet

// snippet: a-default-chain
func makeDefaultIdentity(store: any TokenStore) throws -> IdentityProviderChain {
    let machine = EnvironmentTokenProvider(
        account: AccountID(account: "build", realm: "machine"), variable: "MAIL_TOKEN")
    let sister = StoredAccountProvider(realm: "work", backend: "https://id.example.com", store: store)
    let guest = AnonymousProvider(name: "guest", store: store)
    return try IdentityProviderChain(
        [.init("machine", machine), .init("sister", sister), .init("guest", guest)],
        options: .init(store: store, onSessionEnd: .fallBack)
    ) { event in
        if event.level >= .info { print(event) }
    }
}
// end snippet

func explain(_ chain: IdentityProviderChain, deviceToken: String) async {
    // snippet: explaining
    for attempt in await chain.explain(scopes: ["mail"], deviceToken: deviceToken) {
        print(attempt)
    }
    // end snippet
}

/// The test of the article.
@Suite struct StartingAnSDKTests {
    // snippet: testing-an-sdk
    @Test func token() async throws {
        let identity = StaticTokenProvider(token: "a token", account: AccountID(account: "ada", realm: "test"))
        let service = MailService(identity: identity, deviceToken: "device")
        #expect(try await service.token() == "a token")
    }
    // end snippet
}
