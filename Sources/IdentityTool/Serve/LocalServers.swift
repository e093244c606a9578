import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import IdentityOAuthProviders
import ThunderID

enum LocalServers {
    /// The configuration of a provider for ThunderID, with the sign-in that the server's first application uses.
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
        // The secret is given by a variable, so that it is not printed.
        if case .basic = server.firstClient.authentication { settings["clientSecret"] = "${OIDC_CLIENT_SECRET}" }
        return ProviderConfiguration(name: "oidc", type: OpenIDConnectPlugin.type, settings: .object(settings))
    }

    /// A redirect URI without a port if there is one, so that the sign-in can choose a free port.
    private static func redirectURI(of client: LocalOpenIDConnectServer.Client) -> String {
        client.redirectURIs.first { $0.hasPrefix("http://127.0.0.1/") } ?? client.redirectURIs.first ?? ""
    }
}
