import Foundation
import IdentityKit
import IdentityOAuthProviders
import IdentityPresets

/// The providers that go through every outage, by their types in a configuration.
enum OutageProvider: String, CaseIterable, Sendable {
    case openIDConnect = "openid-connect"
    case oAuth2 = "oauth2"
    /// A preset.
    case gitLab = "gitlab"
    case protectedResource = "protected-resource"
    case thunderID = "thunderid"
    case insForge = "insforge"

    /// What the local server can do.
    var rotations: [Rotation] { self == .insForge ? [.strict, .off] : Rotation.allCases }

    /// Starts the provider's local server. Where the client's policy can be set, it is the server's.
    func scene(_ rotation: Rotation) async throws -> ProviderScene {
        switch self {
        case .openIDConnect: try await .openIDConnect(rotation: rotation)
        case .oAuth2: try await .oAuth2(rotation: rotation)
        case .gitLab: try await gitLab(rotation)
        case .protectedResource: try await protectedResource(rotation)
        case .thunderID: try await .thunderID(.native, rotation: rotation)
        case .insForge: try await .insForge(rotation: rotation)
        }
    }

    private func gitLab(_ rotation: Rotation) async throws -> ProviderScene {
        var registry = ProviderRegistry(KnownProviders.plugins)
        registry.register(KnownProviders.presets)
        return try await .oAuth(rotation: rotation) { [registry] server, context, _ in
            let device = server.url.appendingPathComponent("device-authorization").absoluteString
            return try configured(
                [
                    "issuer": .string(server.issuer), "clientID": .string(server.client.id),
                    "redirectURI": "com.example.app:/callback", "allowsLoopbackHTTP": true,
                    "endpoints": ["device_authorization_endpoint": .string(device)],
                ], registry, context)
        }
    }

    private func protectedResource(_ rotation: Rotation) async throws -> ProviderScene {
        let registry = ProviderRegistry([ProtectedResourcePlugin.self])
        var scene = try await ProviderScene.oAuth(rotation: rotation, allowsRegistration: true) { server, context, _ in
            try configured(
                ["resource": .string(server.resource.absoluteString), "allowsLoopbackHTTP": true], registry, context)
        }
        scene.resource = "api/notes"
        let address = scene.http.url.appendingPathComponent(scene.resource).absoluteString
        scene.account = AccountID(account: address, realm: scene.account.realm)
        return scene
    }

    /// The provider of a configuration.
    private func configured(
        _ settings: [String: JSONValue], _ registry: ProviderRegistry, _ context: ProviderContext
    ) throws -> any SessionProvider {
        let chain = try registry.makeChain(
            for: IdentityConfiguration(
                providers: [ProviderConfiguration(name: context.name, type: rawValue, settings: .object(settings))]),
            environment: context.environment)
        guard let provider = chain.links.first?.provider as? any SessionProvider else { throw CancellationError() }
        return provider
    }
}
