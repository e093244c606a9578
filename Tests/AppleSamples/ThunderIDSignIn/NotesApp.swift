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
                        baseUrl: "https://localhost:8090",
                        clientId: "notes",
                        scopes: ["openid", "profile", "email"],
                        afterSignInUrl: "com.example.notes://callback",
                        afterSignOutUrl: "com.example.notes://signed-out"
                    ))
        }
    }
}

struct RootView: View {
    @State private var link: FlowLink?

    var body: some View {
        SignedIn { NotesView() }
        SignedOut {
            if let link {
                SignIn(applicationId: "0198c0de-0000-7000-8000-00000000aaaa", link: link)
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
            SignIn(applicationId: "0198c0de-0000-7000-8000-00000000aaaa")
                .padding()
            SignIn(
                applicationId: "0198c0de-0000-7000-8000-00000000aaaa",
                onComplete: { problem = nil },
                onError: { message in problem = message }
            )
            SignUp(applicationId: "0198c0de-0000-7000-8000-00000000aaaa")
            SignInButton { Text("Sign in with your browser") }
            if let problem { Text(problem) }
        }
    }
}

/// A form that the app draws by itself.
struct OwnForm: View {
    var body: some View {
        BaseSignIn(applicationId: "0198c0de-0000-7000-8000-00000000aaaa") { signInState in
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

/// The flow, driven by hand.
func signInByHand(_ client: ThunderIDClient, name: String, password: String) async throws -> Bool {
    let request = EmbeddedFlowRequestConfig(applicationId: "notes", flowType: .authentication)
    let first = try await client.signIn(payload: EmbeddedSignInPayload(), request: request)
    let second = try await client.signIn(
        payload: EmbeddedSignInPayload(
            flowId: first.flowId, actionId: first.actions.first?.id,
            inputs: ["username": name, "password": password]),
        request: request)
    return second.flowStatus == .complete
}

/// A client of one's own, the profile, and what goes wrong.
func lookAtProfile() async throws {
    let client = ThunderIDClient()
    _ = try await client.initialize(
        config: ThunderIDConfig(baseUrl: "https://localhost:8090", clientId: "notes", scopes: ["openid"]))
    do {
        let user = try await client.getUser()
        print(user.sub)
        let claims: [String: AnyCodable] = try client.decodeJwtToken(try await client.getAccessToken())
        print(claims.keys)
    } catch let error as IAMError {
        print("[\(error.code.rawValue)] \(error.message)")
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
