import IdentityKit
import InsForge
import SwiftUI
import ThunderID

@main
struct SwitchingApp: App {
    var body: some Scene {
        WindowGroup { StartView() }
    }
}

struct StartView: View {
    @State private var client = Result { try StartView.makeClient() }

    var body: some View {
        switch client {
        case .success(let client): SessionView(client: client)
        case .failure(let error): Text(error.localizedDescription)
        }
    }

    /// The backends are a file in the bundle; the Keychain keeps the sessions, and a face opens them.
    static func makeClient() throws -> IdentityClient {
        guard let file = Bundle.main.url(forResource: "identity", withExtension: "json") else {
            throw CocoaError(.fileNoSuchFile)
        }
        #if os(tvOS) || os(watchOS)
        let environment = IdentityEnvironment(store: KeychainTokenStore())
        #else
        // snippet: a-keychain-behind-a-face
        let keychain = KeychainTokenStore(accessGroup: "ABCDE12345.com.example.shared")
        let store = GuardedTokenStore(keychain, check: BiometricCheck(), reason: "to open your session")
        // end snippet
        let environment = IdentityEnvironment(
            store: store, webAuthenticator: SystemWebAuthenticator(session: .ephemeral))
        #endif
        return try IdentityClient(
            configuration: IdentityConfiguration(contentsOf: file),
            registry: ProviderRegistry([ThunderIDPlugin.self, InsForgePlugin.self]),
            environment: environment)
    }
}

struct SessionView: View {
    @StateObject private var session: IdentityState

    init(client: IdentityClient) {
        _session = StateObject(wrappedValue: IdentityState(client))
    }

    var body: some View {
        VStack {
            switch session.state {
            case .unknown: ProgressView()
            case .signedOut: Button("Sign in") { Task { await session.signIn(scopes: ["openid"]) } }
            case .signedIn(let account):
                Text(account.id)
                Button("Sign out") { Task { await session.signOut() } }
            }
            if let problem = session.problem { Text(problem).foregroundStyle(.red) }
        }
        .disabled(session.isBusy)
        .task { await session.refresh() }
    }
}
