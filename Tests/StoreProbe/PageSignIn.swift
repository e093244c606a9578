import Foundation
import IdentityKit
import InsForge
import IdentityOAuthProviders
import ThunderID

/// Signs in on a page that nothing was said about but the variables of the environment: no browser, no opener, no presenter.
struct PageSignIn {
    let arguments: Arguments

    func run() async throws {
        switch try arguments.text("with") {
        case "client": try await signInWithClient()
        case "thunderid-client": try await signInWithThunderIDClient()
        case "insforge-client": try await signInWithInsForgeClient()
        case let other: throw ProbeError(message: "with=\(other) is unknown")
        }
    }

    private func signInWithClient() async throws {
        let configuration = try IdentityConfiguration(
            parsing: Data(arguments.text("configuration").utf8), variables: [:])
        let client = try IdentityClient(
            configuration: configuration,
            registry: ProviderRegistry([
                ThunderIDPlugin.self, InsForgePlugin.self, OpenIDConnectPlugin.self, OAuth2Plugin.self,
            ]))
        say("signed in \(try await client.signIn().account)")
    }

    private func signInWithThunderIDClient() async throws {
        let client = ThunderIDClient()
        try await client.initialize(
            config: ThunderIDConfig(
                baseUrl: arguments.text("server"), clientId: arguments.text("client"),
                afterSignInUrl: arguments.text("redirect"), allowsLoopbackHTTP: true),
            storage: InMemoryStorageAdapter())
        say("signed in \(try await client.signInWithBrowser().sub)")
    }

    private func signInWithInsForgeClient() async throws {
        guard let server = URL(string: try arguments.text("server")) else {
            throw ProbeError(message: "server= is no address")
        }
        let client = InsForgeClient(
            baseURL: server, anonKey: try arguments.text("key"),
            options: InsForgeClientOptions(
                auth: .init(storage: InMemoryAuthStorage()),
                global: .init(allowsLoopbackHTTP: true, logDestination: .none)))
        let response = try await client.auth.signInWithOAuthView(
            provider: .google, redirectTo: try arguments.text("redirect"))
        say("signed in \(response?.user.id ?? "nobody")")
    }
}
