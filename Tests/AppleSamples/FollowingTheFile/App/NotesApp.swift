import IdentityKit
import IdentityPresets
import IdentitySwiftUI
import InsForge
import SwiftUI
import ThunderID

/// Signs in wherever the file says, also when that changes while the app runs.
@main
struct NotesApp: App {
    @State private var app = Result { try NotesApp.open() }

    var body: some Scene {
        WindowGroup {
            switch app {
            case .success((let client, let file)):
                // snippet: screen-view
                IdentityView(client) { account in Text(verbatim: account.account) }
                    .task { await client.follow(file) }
                SessionBanner(client)
                AccountButton(client)
            // end snippet
            case .failure(let error): Text(error.localizedDescription)
            }
        }
    }

    static func open() throws -> (IdentityClient, URL) {
        let resource = Bundle.main.path(forResource: "identity", ofType: "json")
        let file = URL(
            fileURLWithPath: ProcessInfo.processInfo.environment["NOTES_FILE"] ?? resource ?? "identity.json")
        // snippet: screen-client
        var registry = ProviderRegistry(KnownProviders.plugins + [ThunderIDPlugin.self, InsForgePlugin.self])
        registry.register(KnownProviders.presets)
        let engine = SignInEngine()
        let client = try IdentityClient(
            configuration: IdentityConfiguration(contentsOf: file), registry: registry, prompter: engine,
            deviceCodePresenter: engine)
        // end snippet
        return (client, file)
    }
}
