import Foundation
import IdentityKit
import InsForge
import LoopbackBrowser
import OpenIDConnect
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The app of the article.
struct StartingAnApp {
    let prompter: any FlowPrompter
    let browser: any WebAuthenticator
    let showNotice: (String) -> Void
    let showSignIn: (String) -> Void
    let showSettings: (String) -> Void

    // snippet: making-a-client
    func makeClient(_ file: URL) throws -> IdentityClient {
        let configuration = try IdentityConfiguration(contentsOf: file)
        let environment = IdentityEnvironment(
            store: try configuration.store.open(), prompter: prompter, webAuthenticator: browser)
        return try IdentityClient(
            configuration: configuration,
            registry: ProviderRegistry([OpenIDConnectPlugin.self, ThunderIDPlugin.self, InsForgePlugin.self]),
            environment: environment)
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
            case .signedIn(let account): print("hello, \(account.account)")
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

/// An app that asks for nothing itself.
func makePrompter() -> (any FlowPrompter)? {
    // snippet: no-prompter
    let prompter: (any FlowPrompter)? = nil
    // end snippet
    return prompter
}

/// The browser of an app on Linux.
func makeLoopbackBrowser() -> any WebAuthenticator {
    // snippet: a-loopback-browser
    let browser = LoopbackWebAuthenticator { page, isOpen in
        print(isOpen ? "Your browser opens. If it does not, open this page:" : "Open this page to sign in:")
        print("  \(page.absoluteString)")
    }
    // end snippet
    return browser
}
