import Foundation
import IdentityKit
import InsForge
import LocalServers
import OpenIDConnect
import ThunderID

/// The local servers as a configuration names them.
enum LocalServers {
    /// A ThunderID server.
    static func provider(
        for server: LocalThunderIDServer, method: ThunderIDSettings.SignInMethod
    ) -> ProviderConfiguration {
        ProviderConfiguration(
            name: "thunderid", type: ThunderIDPlugin.type,
            settings: [
                "baseURL": .string(server.url.absoluteString),
                "allowsLoopbackHTTP": true,
                "clientID": .string(server.application.clientID),
                "redirectURI": .string(server.application.redirectURIs.first ?? ""),
                "signIn": .string(method.rawValue),
            ])
    }

    /// An InsForge server.
    static func provider(for server: LocalInsForgeServer) -> ProviderConfiguration {
        ProviderConfiguration(
            name: "insforge", type: InsForgePlugin.type,
            settings: [
                "baseURL": .string(server.url.absoluteString),
                "allowsLoopbackHTTP": true,
                "anonKey": .string(server.anonKey),
            ])
    }

    /// An OpenID Connect server.
    static func provider(for server: LocalOpenIDConnectServer) -> ProviderConfiguration {
        var settings: [String: JSONValue] = [
            "issuer": .string(server.issuer),
            "allowsLoopbackHTTP": true,
            "clientID": .string(server.client.id),
            "redirectURI": .string(redirectURI(of: server.client)),
        ]
        // Whoever runs the client knows the secret; a screen need not.
        if case .basic = server.client.authentication { settings["clientSecret"] = "${OIDC_CLIENT_SECRET}" }
        return ProviderConfiguration(name: "oidc", type: OpenIDConnectPlugin.type, settings: .object(settings))
    }

    /// One without a port, which is chosen when somebody signs in, if there is one.
    private static func redirectURI(of client: LocalOpenIDConnectServer.Client) -> String {
        client.redirectURIs.first { $0.hasPrefix("http://127.0.0.1/") } ?? client.redirectURIs.first ?? ""
    }
}
