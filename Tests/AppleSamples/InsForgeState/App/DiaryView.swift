import AuthenticationServices
import InsForge
import SwiftUI

@main
struct DiaryApp: App {
    // The state is that of the newest client.
    private let insforge = URL(string: "https://diary.insforge.app").map {
        InsForgeClient(baseURL: $0, anonKey: "anon_0123")
    }

    var body: some Scene {
        WindowGroup { DiaryView() }
    }
}

/// The observable state: whoever is signed in sees the diary.
struct DiaryView: View {
    @StateObject private var authState = InsForgeAuthState()

    var body: some View {
        Group {
            if authState.isLoading {
                ProgressView()
            } else if let user = authState.user {
                Text("Diary of \(user.email)")
            } else {
                DiarySignIn()
            }
        }
        .environmentObject(authState)
    }
}

struct DiarySignIn: View {
    @EnvironmentObject var authState: InsForgeAuthState
    @State private var email = ""
    @State private var password = ""
    @State private var problem: String?

    var body: some View {
        VStack(spacing: 20) {
            TextField("E-mail", text: $email).bordered()
            SecureField("Password", text: $password).bordered()
            if let problem { Text(problem).foregroundColor(.red).font(.caption) }
            Button("Sign in") {
                Task {
                    do {
                        try await authState.signIn(email: email, password: password)
                    } catch {
                        problem = error.localizedDescription
                    }
                }
            }
            .buttonStyle(.borderedProminent)
            SignInWithAppleButton { request in
                do {
                    try authState.prepare(request)
                } catch {
                    problem = error.localizedDescription
                }
            } onCompletion: { result in
                Task {
                    do {
                        try await authState.signInWithApple(result: result)
                    } catch {
                        problem = error.localizedDescription
                    }
                }
            }
        }
        .padding()
    }
}

extension View {
    /// A border around a field, on the systems that have one.
    func bordered() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        textFieldStyle(.roundedBorder)
        #endif
    }
}
