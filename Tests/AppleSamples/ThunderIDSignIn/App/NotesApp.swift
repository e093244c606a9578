#if os(iOS) || os(macOS) || os(visionOS)
import Foundation
import SwiftUI
import ThunderID
import ThunderIDSwiftUI

@main
struct NotesApp: App {
    var body: some Scene {
        WindowGroup {
            RootView()
                .thunderIDProvider(
                    config: ThunderIDConfig(
                        baseUrl: Server.address,
                        clientId: Server.client,
                        scopes: ["openid", "profile", "email"],
                        afterSignInUrl: Server.callback,
                        afterSignOutUrl: "com.example.notes://signed-out",
                        allowsLoopbackHTTP: Server.isLocal
                    ))
        }
    }
}

/// The server, which the tests of the app replace by one of their own.
enum Server {
    static let address = variable("NOTES_SERVER") ?? "https://localhost:8090"
    static let client = variable("NOTES_CLIENT") ?? "notes"
    static let callback = variable("NOTES_CALLBACK") ?? "com.example.notes://callback"
    static let application = variable("NOTES_APPLICATION") ?? "0198c0de-0000-7000-8000-00000000aaaa"
    static let isLocal = variable("NOTES_SERVER") != nil

    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}

struct RootView: View {
    @State private var link: FlowLink?

    var body: some View {
        SignedIn { NotesView() }
        SignedOut {
            if let link {
                SignIn(applicationId: Server.application, link: link)
            } else {
                WelcomeView()
            }
        }
        .onOpenURL { address in link = FlowLink(address) }
    }
}

struct NotesView: View {
    @EnvironmentObject var state: ThunderIDState

    var body: some View {
        VStack {
            Text("Hello, \(state.user?.displayName ?? "there")")
            SignOutButton()
        }
    }
}

struct WelcomeView: View {
    @State private var problem: String?

    var body: some View {
        VStack {
            SignIn(
                applicationId: Server.application,
                onComplete: { problem = nil },
                onError: { message in problem = message }
            )
            SignInButton { Text("Sign in with your browser") }
            if let problem { Text(problem) }
        }
    }
}

/// The forms without what they tell.
struct ShortForms: View {
    var body: some View {
        VStack {
            SignIn(applicationId: Server.application)
                .padding()
            SignUp(applicationId: Server.application)
        }
    }
}

/// A form that the app draws by itself.
struct HandmadeForm: View {
    var body: some View {
        BaseSignIn(applicationId: Server.application) { signInState in
            VStack(spacing: 16) {
                if let error = signInState.error {
                    Text(error).foregroundStyle(.red)
                }
                ForEach(signInState.inputs, id: \.name) { input in
                    if input.type == "PASSWORD_INPUT" {
                        SecureField(input.name, text: signInState.binding(for: input.name))
                    } else {
                        TextField(input.name, text: signInState.binding(for: input.name))
                    }
                }
                ForEach(signInState.actions, id: \.id) { action in
                    Button(action.label ?? "Submit") {
                        signInState.submit(actionId: action.id)
                    }
                    .disabled(signInState.isLoading)
                }
            }
        }
    }
}

/// A configuration that proves at every sign-in that this is the app.
func attested(_ config: ThunderIDConfig) -> ThunderIDConfig {
    var config = config
    // snippet: attesting
    config.attestationEnabled = true
    config.attestationTokenProvider = { try await AppAttestation.token() }
    // end snippet
    return config
}
#endif
