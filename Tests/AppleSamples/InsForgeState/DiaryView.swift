import AuthenticationServices
import InsForge
import SwiftUI

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
            TextField("E-mail", text: $email).textFieldStyle(.roundedBorder)
            SecureField("Password", text: $password).textFieldStyle(.roundedBorder)
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
