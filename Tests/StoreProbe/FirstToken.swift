import IdentityOAuthProviders
import SwiftIdentity

/// The program of the pages, in a folder with an `identity.json`.
struct FirstToken {
    let arguments: Arguments

    func run() async throws {
        switch try arguments.text("with") {
        case "every-type": try await withEveryType()
        case "plugins": try await withPlugins()
        case let other: throw ProbeError(message: "with=\(other) is unknown")
        }
    }

    private func withEveryType() async throws {
        // snippet: first-token
        let client = try IdentityClient()
        try await client.signIn(scopes: ["openid"])
        print(try await client.accessToken())
        // end snippet
    }

    private func withPlugins() async throws {
        // snippet: fewer-types
        let client = try IdentityClient(plugins: [OpenIDConnectPlugin.self])
        // end snippet
        try await client.signIn(scopes: ["openid"])
        print(try await client.accessToken())
    }
}
