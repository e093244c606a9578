import IdentityKit
import IdentityOAuthProviders
import IdentitySwiftUI
import InsForge
import SwiftUI
import ThunderID

/// Signs in wherever the file says, also when that changes while the app runs.
@main
struct NotesApp: App {
    private static let file = Bundle.main.url(forResource: "identity", withExtension: "json")
    @State private var client = Result { try NotesApp.makeClient() }

    var body: some Scene {
        WindowGroup {
            switch client {
            case .success(let client): if let file = Self.file { NotesView(client: client, file: file) }
            case .failure(let error): Text(error.localizedDescription)
            }
        }
    }

    static func makeClient() throws -> IdentityClient {
        guard let file else { throw CocoaError(.fileNoSuchFile) }
        // snippet: screen-client
        let engine = SignInEngine()
        let client = try IdentityClient(
            configuration: IdentityConfiguration(contentsOf: file),
            registry: ProviderRegistry([ThunderIDPlugin.self, InsForgePlugin.self, OpenIDConnectPlugin.self]),
            prompter: engine, deviceCodePresenter: engine)
        // end snippet
        return client
    }
}

struct NotesView: View {
    let client: IdentityClient
    let file: URL

    var body: some View {
        // snippet: screen-view
        IdentityView(client) { account in HomeView(account: account) }
            .task { await client.follow(file) }
        // end snippet
        SessionBanner(client)
        AccountButton(client)
    }
}

struct HomeView: View {
    let account: AccountID

    var body: some View { Text(verbatim: account.account) }
}
