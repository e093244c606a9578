import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import IdentityOAuthProviders
import ThunderID

enum LocalServers {
    /// The configuration of a provider for ThunderID. Sign-ins are native if the server's first application is a mobile one,
    /// and use a redirect otherwise.
    static func provider(for server: LocalThunderIDServer) -> ProviderConfiguration {
        provider(for: server, method: server.firstClient.type == .mobile ? .native : .redirect)
    }

    static func provider(
        for server: LocalThunderIDServer, method: ThunderIDSettings.SignInMethod
    ) -> ProviderConfiguration {
        ProviderConfiguration(
            name: "thunderid", type: ThunderIDPlugin.type,
            settings: [
                "baseURL": .string(server.url.absoluteString),
                "allowsLoopbackHTTP": true,
                "clientID": .string(server.firstClient.clientID),
                "redirectURI": .string(server.firstClient.redirectURIs.first ?? ""),
                "signIn": .string(method.rawValue),
            ])
    }

    static func provider(for server: LocalInsForgeServer) -> ProviderConfiguration {
        ProviderConfiguration(
            name: "insforge", type: InsForgePlugin.type,
            settings: [
                "baseURL": .string(server.url.absoluteString),
                "allowsLoopbackHTTP": true,
                "anonKey": .string(server.anonKey),
            ])
    }

    static func provider(for server: LocalOpenIDConnectServer) -> ProviderConfiguration {
        var settings: [String: JSONValue] = [
            "issuer": .string(server.issuer),
            "allowsLoopbackHTTP": true,
            "clientID": .string(server.firstClient.id),
            "redirectURI": .string(redirectURI(of: server.firstClient)),
        ]
        // Refer to the secret by an environment variable, because `identity serve` prints the configuration.
        if case .basic = server.firstClient.authentication { settings["clientSecret"] = "${OIDC_CLIENT_SECRET}" }
        return ProviderConfiguration(name: "oidc", type: OpenIDConnectPlugin.type, settings: .object(settings))
    }

    /// Returns the client's first redirect URI on 127.0.0.1 without a port, because a sign-in can then choose a free port. If
    /// the client has none of this kind, returns the first redirect URI; an empty text for a client without redirect URIs.
    private static func redirectURI(of client: LocalOpenIDConnectServer.Client) -> String {
        client.redirectURIs.first { $0.hasPrefix("http://127.0.0.1/") } ?? client.redirectURIs.first ?? ""
    }
}
