import Foundation
import IdentityKit

// snippet: writing-a-provider
enum BuildServerPlugin: ProviderPlugin {
    static let type = "build-server"

    struct Settings: Decodable, Sendable {
        let user: String
        let tokenVariable: String
    }

    static func makeProvider(settings: Settings, context: ProviderContext) -> any IdentityProvider {
        BuildServerProvider(name: context.name, settings: settings)
    }
}

struct BuildServerProvider: IdentityProvider {
    let name: String
    let settings: BuildServerPlugin.Settings

    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        guard token != nil else { return nil }  // Not a build server: ask the next provider.
        return AccountID(account: settings.user, realm: name)
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        guard let token else { throw SessionError.notSignedIn(accountID) }
        return token
    }

    private var token: String? { ProcessInfo.processInfo.environment[settings.tokenVariable] }
}
// end snippet
