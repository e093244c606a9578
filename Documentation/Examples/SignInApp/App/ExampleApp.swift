import IdentityKit
import IdentityOAuthProviders
import IdentitySwiftUI
import InsForge
import SwiftUI
import ThunderID

/// An app with three backends. The file in its bundle names them, and nothing else here does.
@main
struct ExampleApp: App {
    @State private var setup = Result { try Setup() }

    var body: some Scene {
        WindowGroup {
            switch setup {
            case .success(let setup):
                IdentityView(setup.client) { account in HomeView(account: account) }
                SessionBanner(setup.client)
                AccountButton(setup.client)
            case .failure(let error): Text(error.localizedDescription)
            }
        }
    }
}

/// The client of the backends that the file names.
struct Setup {
    let client: IdentityClient

    init() throws {
        guard let file = Bundle.main.url(forResource: "identity", withExtension: "json") else {
            throw CocoaError(.fileNoSuchFile)
        }
        client = try IdentityClient(
            configuration: IdentityConfiguration(contentsOf: file),
            registry: ProviderRegistry([ThunderIDPlugin.self, InsForgePlugin.self, OpenIDConnectPlugin.self]),
            environment: Self.environment(asking: SignInEngine()))
    }

    /// The Keychain keeps the sessions, and a face or a finger opens them. The screen asks what a provider wants to know.
    private static func environment(asking engine: SignInEngine) throws -> IdentityEnvironment {
        #if os(tvOS) || os(watchOS)
        return IdentityEnvironment(
            store: try StoreConfiguration.keychain().open(), prompter: engine, deviceCodePresenter: engine)
        #else
        // snippet: a-keychain-behind-a-face
        let keychain = try StoreConfiguration.keychain(accessGroup: "ABCDE12345.com.example.shared").open()
        let key = DataKey.home(protection: .biometry, reason: "open your session")
        let store = keychain.sealed(storeID: "sessions", key: key)
        // end snippet
        return IdentityEnvironment(
            store: store, prompter: engine, webAuthenticator: SystemWebAuthenticator(isEphemeral: true),
            deviceCodePresenter: engine)
        #endif
    }
}
