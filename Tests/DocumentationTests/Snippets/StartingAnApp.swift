import Foundation
import IdentityKit
import InsForge
import IdentityOAuthProviders
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The app of the article.
struct StartingAnApp {
    let browser: any WebAuthenticator
    let showNotice: (String) -> Void
    let showSignIn: (String) -> Void
    let showSettings: (String) -> Void

    // snippet: making-a-client
    func makeClient(_ file: URL) throws -> IdentityClient {
        try IdentityClient(
            configuration: IdentityConfiguration(contentsOf: file),
            registry: ProviderRegistry([ThunderIDPlugin.self, InsForgePlugin.self, OpenIDConnectPlugin.self]),
            webAuthenticator: browser)
    }
    // end snippet

    func start() throws -> (IdentityClient, URLRequest) {
        // snippet: beginning-a-program
        let client = try makeClient(URL(fileURLWithPath: "identity.json"))
        let request = URLRequest(url: try ServerURL(CommandLine.arguments[1], allowsLoopbackHTTP: true).url)
        // end snippet
        return (client, request)
    }

    func use(_ client: IdentityClient, for request: URLRequest) async throws {
        // snippet: using-a-client
        let account = try await client.signIn(scopes: ["openid"])
        print("Signed in as \(account)")

        let (data, response) = try await client.data(for: request)
        print(response.statusCode, data.count)

        try await client.signOut()
        // end snippet
    }

    func useInShort(
        _ configuration: IdentityConfiguration, _ registry: ProviderRegistry, for request: URLRequest
    ) async throws -> (Data, HTTPURLResponse) {
        // snippet: a-client-in-short
        let client = try IdentityClient(configuration: configuration, registry: registry)
        try await client.signIn(scopes: ["openid"])
        let (data, response) = try await client.data(for: request)
        // end snippet
        return (data, response)
    }

    @MainActor func show(_ client: IdentityClient) async {
        // snippet: showing-a-session
        let session = IdentityState(client)
        await session.refresh()
        for await state in session.states() {
            switch state {
            case .unknown: print("not known yet")
            case .signedOut: print("nobody is signed in")
            case .signedIn(let account): print("hello, \(session.profile?.label ?? account.account)")
            }
        }
        // end snippet
    }

    func tell(_ client: IdentityClient) async throws {
        // snippet: telling-failures-apart
        do {
            _ = try await client.accessToken()
        } catch let failure as any IdentityFailure {
            switch failure.failureClass {
            case .transient: showNotice(failure.message)  // The account stays. Try again later.
            case .definitive: showSignIn(failure.message)
            case .unavailable: showSettings(failure.message)
            }
        }
        // end snippet
    }
}
