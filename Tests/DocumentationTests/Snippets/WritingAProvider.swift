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
        BuildServerProvider(
            account: AccountID(account: settings.user, realm: context.name),
            token: context.environment.variables[settings.tokenVariable].map { Secret($0) })
    }
}

struct BuildServerProvider: IdentityProvider {
    let account: AccountID
    let token: Secret?
    let mayShowSignIn = false  // It shows nothing, so a chain tries it silently.

    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        token == nil ? nil : account  // nil: not a build server, ask the next provider.
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        guard let token, accountID == account else { throw SessionError.notSignedIn(accountID) }
        return token.reveal()
    }
}
// end snippet
