import IdentityKit
import InsForge
import IdentityOAuthProviders
import SwiftUI

/// Three providers in the order of their fallback. Whoever acts in the place of another is shown as such.
@main
struct ReportsApp: App {
    @State private var client = Result { try ReportsApp.makeClient() }

    var body: some Scene {
        WindowGroup {
            switch client {
            case .success(let client): ReportsView(client: client)
            case .failure(let error): Text(error.localizedDescription)
            }
        }
    }

    static func makeClient() throws -> IdentityClient {
        guard let file = Bundle.main.url(forResource: "identity", withExtension: "json") else {
            throw CocoaError(.fileNoSuchFile)
        }
        let registry = ProviderRegistry(
            [OpenIDConnectPlugin.self, InsForgePlugin.self] + ProviderRegistry.corePlugins)
        return try IdentityClient(configuration: IdentityConfiguration(contentsOf: file), registry: registry)
    }
}

struct ReportsView: View {
    @StateObject private var session: IdentityState

    init(client: IdentityClient) {
        _session = StateObject(wrappedValue: IdentityState(client))
    }

    var body: some View {
        VStack {
            switch session.state {
            case .unknown: ProgressView()
            case .signedOut: Text("Nobody is signed in.")
            case .signedIn(let account):
                Text(verbatim: "\(session.profile?.label ?? account.account) (\(account.realm))")
            }
            if let fallback = session.fallback { Text(verbatim: String(describing: fallback)) }
            Button("Sign in at work") { Task { await session.signIn(with: "work", scopes: ["openid"]) } }
            Button("Sign in at home") { Task { await session.signIn(with: "home") } }
            Button("Sign out") { Task { await session.signOut() } }
            if let problem = session.problem { Text(problem).foregroundStyle(.red) }
        }
        .disabled(session.isBusy)
        .task { await session.refresh() }
    }
}
