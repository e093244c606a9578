import IdentityKit
import InsForge
import IdentityOAuthProviders
import SwiftUI
import ThunderID

/// An app with three backends. The file in its bundle names them, and nothing else here does.
@main
struct ExampleApp: App {
    @State private var setup = Result { try Setup() }

    var body: some Scene {
        WindowGroup {
            switch setup {
            case .success(let setup): SessionView(setup)
            case .failure(let error): Text(error.localizedDescription)
            }
        }
    }
}

/// What the file says: the client of its backends, and their names.
struct Setup {
    let client: IdentityClient
    let names: [String]

    init() throws {
        guard let file = Bundle.main.url(forResource: "identity", withExtension: "json") else {
            throw CocoaError(.fileNoSuchFile)
        }
        let configuration = try IdentityConfiguration(contentsOf: file)
        client = try IdentityClient(
            configuration: configuration,
            registry: ProviderRegistry([ThunderIDPlugin.self, InsForgePlugin.self, OpenIDConnectPlugin.self]),
            environment: Self.environment)
        names = configuration.providers.map(\.name)
    }

    /// The Keychain keeps the sessions, and a face or a finger opens them.
    private static var environment: IdentityEnvironment {
        #if os(tvOS) || os(watchOS)
        return IdentityEnvironment(store: KeychainTokenStore())
        #else
        // snippet: a-keychain-behind-a-face
        let keychain = KeychainTokenStore(accessGroup: "ABCDE12345.com.example.shared")
        let key = GuardedKey(protection: .biometry, reason: "open your session")
        let store = SealedTokenStore(keychain, storeID: "sessions", key: key)
        // end snippet
        return IdentityEnvironment(store: store, webAuthenticator: SystemWebAuthenticator(session: .ephemeral))
        #endif
    }
}

struct SessionView: View {
    @StateObject private var session: IdentityState
    private let names: [String]

    init(_ setup: Setup) {
        _session = StateObject(wrappedValue: IdentityState(setup.client))
        names = setup.names
    }

    var body: some View {
        VStack {
            switch session.state {
            case .unknown: ProgressView()
            case .signedOut:
                ForEach(names, id: \.self) { name in
                    Button("Sign in with \(name)") { Task { await session.signIn(with: name) } }
                }
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
