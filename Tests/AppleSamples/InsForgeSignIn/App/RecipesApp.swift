import InsForge
import SwiftUI

/// Registration with a code by e-mail, sign-in with a password, and the profile.
@MainActor
final class Recipes {
    static let shared = Recipes()

    let insforge: InsForgeClient?

    private init() {
        let options = InsForgeClientOptions(
            global: .init(logLevel: .debug, logDestination: .osLog, logSubsystem: "com.example.recipes"))
        insforge = URL(string: "https://recipes.insforge.app").map {
            InsForgeClient(baseURL: $0, anonKey: "anon_0123", options: options)
        }
    }
}

@main
struct RecipesApp: App {
    var body: some Scene {
        WindowGroup {
            if let insforge = Recipes.shared.insforge {
                RegistrationView(insforge: insforge)
            } else {
                Text("The project's address is wrong.")
            }
        }
    }
}

struct RegistrationView: View {
    let insforge: InsForgeClient
    @State private var email = ""
    @State private var password = ""
    @State private var name = ""
    @State private var code = ""
    @State private var waitsForCode = false
    @State private var problem: String?

    var body: some View {
        VStack(spacing: 20) {
            if waitsForCode {
                Text("Check your mail").font(.title)
                Text("A code was sent to \(email).").foregroundColor(.secondary)
                codeField
                Button("Confirm") { Task { await confirm() } }.buttonStyle(.borderedProminent)
                Button("Send another code") { Task { await sendAgain() } }
            } else {
                TextField("Name", text: $name).bordered()
                TextField("E-mail", text: $email).bordered()
                SecureField("Password", text: $password).bordered()
                Button("Register") { Task { await register() } }.buttonStyle(.borderedProminent)
            }
            if let problem { Text(problem).foregroundColor(.red).font(.caption) }
        }
        .padding()
    }

    @ViewBuilder private var codeField: some View {
        let field = TextField("Code", text: $code).bordered()
        #if os(iOS)
        field.keyboardType(.numberPad).textContentType(.oneTimeCode)
        #else
        field
        #endif
    }

    private func register() async {
        do {
            let result = try await insforge.auth.signUp(
                email: email, password: password, name: name.isEmpty ? nil : name)
            waitsForCode = result.needsEmailVerification
            if result.hasSession { problem = nil }
        } catch {
            problem = error.localizedDescription
        }
    }

    private func confirm() async {
        do {
            try await insforge.auth.verifyEmail(email: email, code: code)
        } catch {
            problem = "This code is not the one that was sent."
        }
    }

    private func sendAgain() async {
        do {
            try await insforge.auth.resendVerificationEmail(email: email)
        } catch {
            problem = error.localizedDescription
        }
    }
}

/// What the other methods look like.
func useSession(of insforge: InsForgeClient) async {
    do {
        let result = try await insforge.auth.signIn(email: "ada@example.com", password: "secret")
        print(result.user?.profile?.name ?? "nobody")
        if let session = insforge.auth.getSession() { print(session.user.email) }
        if let user = try await insforge.auth.getCurrentUser() { print(user.email) }
        _ = try await insforge.auth.setProfile(["name": "Ada", "bio": "Analyst"])
        try await insforge.auth.signOut()
    } catch let error as InsForgeAuthError {
        switch error {
        case .invalidCredentials: print("The address or the password is wrong.")
        case .emailNotVerified: print("Confirm your address first.")
        case .networkError(let underlying): print("The network: \(underlying)")
        default: print(error.localizedDescription)
        }
    } catch {
        print(error)
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
