import IdentityKit
import SwiftUI
import ThunderID
import ThunderIDSwiftUI

/// Sign-in on the server's page. The sheet of the system receives the callback itself; the page that a person opens in
/// their own browser comes back to the app as a link.
@main
struct LettersApp: App {
    @StateObject private var state = LettersApp.makeState()

    var body: some Scene {
        WindowGroup { LettersView().environmentObject(state).task { await state.start() } }
    }

    private static func makeState() -> ThunderIDState {
        let config = ThunderIDConfig(
            baseUrl: "https://id.example.com", clientId: "letters",
            afterSignInUrl: "https://letters.example.com/signed-in",
            afterSignOutUrl: "com.example.letters://signed-out")
        #if os(iOS) || os(macOS) || os(visionOS)
        return ThunderIDState(
            config: config, handlers: SignInHandlers(webAuthenticator: SystemWebAuthenticator()))
        #else
        return ThunderIDState(config: config)
        #endif
    }
}

struct LettersView: View {
    @EnvironmentObject var state: ThunderIDState
    @Environment(\.openURL) private var openURL
    @Environment(\.scenePhase) private var phase
    @State private var problem: String?

    var body: some View {
        VStack {
            if state.isSignedIn {
                Text("Hello, \(state.user?.displayName ?? "there")")
                Button("Sign out") { Task { await state.signOut() } }
            } else {
                Button("Sign in here") { Task { await state.signIn() } }
                Button("Sign in in the browser") { Task { await openPage() } }
            }
            if let problem = problem ?? state.error { Text(problem).foregroundStyle(.red) }
        }
        .disabled(state.isLoading)
        .task(id: phase) {
            if phase == .active { await state.recover() }
        }
        .onOpenURL { address in Task { await handle(address) } }
    }

    // snippet: a-page-in-the-browser
    private func openPage() async {
        do {
            openURL(try await state.client.signInURL())
        } catch {
            problem = error.localizedDescription
        }
    }

    private func handle(_ address: URL) async {
        do {
            // Only the callback of a page that this client has opened counts; every other address is refused.
            try await state.client.handleRedirectCallback(url: address)
            await state.refresh()
        } catch {
            problem = error.localizedDescription
        }
    }
    // end snippet
}
