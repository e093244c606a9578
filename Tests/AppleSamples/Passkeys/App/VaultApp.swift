import SwiftUI
import ThunderID
import ThunderIDSwiftUI

#if os(iOS) || os(macOS) || os(visionOS)
import IdentityKit

/// Sign-in with a passkey, and a face or a finger before the stored session is read.
@main
struct VaultApp: App {
    @State private var state = Result { try VaultApp.makeState() }

    var body: some Scene {
        WindowGroup {
            switch state {
            case .success(let state): VaultView().thunderIDProvider(state)
            case .failure(let error): Text(error.localizedDescription)
            }
        }
    }

    private static func makeState() throws -> ThunderIDState {
        let key = DataKey.home(protection: .biometry, reason: "open your session")
        let sessions = try (try? ownSessions()) ?? StoreConfiguration.keychain().open()
        let store = sessions.sealed(storeID: "vault", key: key)
        return ThunderIDState(
            client: ThunderIDClient(environment: IdentityEnvironment(store: store)),
            config: ThunderIDConfig(baseUrl: "https://id.example.com", clientId: "vault", applicationId: "vault"),
            handlers: SignInHandlers(passkeys: SystemPasskeyAuthenticator()))
    }

    /// Those of this installation of the app, not of a deleted one.
    private static func ownSessions() throws -> any TokenStore {
        // snippet: after-a-reinstallation
        let keychain = StoreConfiguration.keychain()
        try keychain.beginAnewAfterReinstallation()
        let sessions = try keychain.open()
        // end snippet
        return sessions
    }
}

struct VaultView: View {
    @EnvironmentObject var state: ThunderIDState

    var body: some View {
        SignedIn { Text("Hello, \(state.user?.displayName ?? "there")") }
        SignedOut { SignIn(applicationId: "vault") }
    }
}
#else
/// tvOS and watchOS have no passkeys for apps: there a session is that of a phone, or of a code on another screen.
@main
struct VaultApp: App {
    var body: some Scene {
        WindowGroup { Text("Open your vault on your phone.") }
    }
}
#endif
