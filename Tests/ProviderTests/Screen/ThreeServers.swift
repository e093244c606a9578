import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting

/// The three local servers, and configurations that differ in nothing but which one the provider `work` is.
struct ThreeServers: Sendable {
    enum Backend: String, CaseIterable, Sendable {
        case insForge = "insforge"
        case thunderID = "thunderid"
        case openIDConnect = "openid-connect"
    }

    let clock = ManualClock()
    let insForge: LocalInsForgeServer
    let thunderID: LocalThunderIDServer
    let openID: LocalOpenIDConnectServer

    init() async throws {
        insForge = try await LocalInsForgeServer.start(time: clock.timeSource)
        thunderID = try await LocalThunderIDServer.start(clock: clock)
        openID = try await LocalOpenIDConnectServer.start(clock: clock)
    }

    func stop() async {
        await insForge.stop()
        await thunderID.stop()
        await openID.stop()
    }

    /// The person who can sign in: the identifier, the name or address that is typed, and the password.
    func person(at backend: Backend) -> (id: String, name: Secret, password: Secret) {
        switch backend {
        case .insForge: (insForge.user.id, Secret(insForge.user.email), Secret(insForge.user.password))
        case .thunderID: (thunderID.user.id, Secret(thunderID.user.username), thunderID.user.password)
        case .openIDConnect: (openID.user.id, Secret(openID.user.username), openID.user.password)
        }
    }

    /// The browser of that person.
    var login: ScriptedLogin { ScriptedLogin(username: openID.user.username, password: openID.user.password) }

    /// The OpenID Connect server as a vendor's preset leads to it.
    var preset: IdentityConfiguration {
        let settings: JSONValue = [
            "server": .string(openID.issuer), "clientID": .string(openID.client.id),
            "redirectURI": "com.example.app:/callback", "allowsLoopbackHTTP": true, "prompt": ["consent"],
        ]
        return IdentityConfiguration(
            providers: [ProviderConfiguration(name: "work", type: "zitadel", settings: settings)])
    }

    /// - Parameters:
    ///   - name: the name of the provider.
    ///   - deadline: the seconds of a setting that no sign-in depends on.
    func configuration(
        _ backend: Backend, name: String = "work", deadline: Int = 2, _ changes: [String: JSONValue] = [:]
    ) -> IdentityConfiguration {
        let settings: [String: JSONValue] =
            switch backend {
            case .insForge:
                ["baseURL": .string(insForge.url.absoluteString), "anonKey": .string(insForge.anonKey)]
            case .thunderID:
                [
                    "baseURL": .string(thunderID.url.absoluteString),
                    "clientID": .string(thunderID.application.clientID),
                    "redirectURI": .string(thunderID.application.redirectURIs.first ?? ""),
                ]
            case .openIDConnect:
                [
                    "issuer": .string(openID.issuer), "clientID": .string(openID.client.id),
                    "redirectURI": "com.example.app:/callback",
                ]
            }
        return IdentityConfiguration(
            providers: [
                ProviderConfiguration(
                    name: name, type: backend.rawValue,
                    settings: .object(settings.merging(["allowsLoopbackHTTP": true]) { $1 }.merging(changes) { $1 }),
                    silentDeadline: SilentDeadline(.seconds(deadline)))
            ])
    }
}
