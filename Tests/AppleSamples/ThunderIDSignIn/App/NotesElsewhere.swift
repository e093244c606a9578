#if os(tvOS) || os(watchOS)
import SwiftUI
import ThunderID
import ThunderIDSwiftUI

/// Systems without the ready-made forms: the state is the same, and the app draws the two fields itself.
@main
struct NotesApp: App {
    @StateObject private var state = ThunderIDState(
        config: ThunderIDConfig(baseUrl: "https://localhost:8090", clientId: "notes", applicationId: "notes"))

    var body: some Scene {
        WindowGroup { NotesView().environmentObject(state).task { await state.start() } }
    }
}

struct NotesView: View {
    @EnvironmentObject var state: ThunderIDState
    @State private var name = ""
    @State private var password = ""
    @State private var problem: String?

    var body: some View {
        VStack {
            if state.isSignedIn {
                Text("Hello, \(state.user?.displayName ?? "there")")
                Button("Sign out") { Task { await state.signOut() } }
            } else {
                TextField("Username", text: $name)
                SecureField("Password", text: $password)
                Button("Sign in") { Task { await signIn() } }
                if let problem { Text(problem) }
            }
        }
    }

    private func signIn() async {
        do {
            let isDone = try await signInByHand(state.client, name: name, password: password)
            problem = isDone ? nil : "Sign in on your phone."
            await state.refresh()
        } catch {
            problem = error.localizedDescription
        }
    }
}
#endif
