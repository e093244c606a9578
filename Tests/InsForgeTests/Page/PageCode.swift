import Foundation
import InsForge

/// An app as the documentation's page writes one. Nothing but the module is imported here: what the page uses must be
/// visible with that alone, under the very names and labels.
final class PageApp {
    let insforge: InsForgeClient
    var screen = "start"
    var message = ""

    init(baseURL: URL, anonKey: String, options: InsForgeClientOptions) {
        insforge = InsForgeClient(baseURL: baseURL, anonKey: anonKey, options: options)
    }

    /// The two ways to make a client.
    static func clients(at address: URL) -> [InsForgeClient] {
        let plain = InsForgeClient(baseURL: address, anonKey: "your-anon-key")
        let options = InsForgeClientOptions(
            global: .init(logLevel: .debug, logDestination: .osLog, logSubsystem: "com.example.MyApp"))
        return [plain, InsForgeClient(baseURL: address, anonKey: "your-anon-key", options: options)]
    }

    static let levels: [LogLevel] = [.trace, .debug, .info, .warning, .error, .critical]
    static let destinations: [LogDestination] = [.console, .osLog, .none]

    func greet(afterSigningUp email: String) async {
        do {
            let result = try await insforge.auth.signUp(
                email: email, password: "secure_password123", name: "John Doe")
            if result.needsEmailVerification {
                screen = "verification"
            } else if let user = result.user {
                message = "Welcome, \(user.profile?.name ?? user.email)!"
            }
        } catch {
            message = "Sign up failed: \(error)"
        }
    }

    func handleSignUp(email: String, password: String, name: String?) async {
        do {
            let result = try await insforge.auth.signUp(email: email, password: password, name: name)
            if result.needsEmailVerification {
                screen = "verification of \(email)"
            } else if result.hasSession {
                screen = "dashboard"
            }
        } catch {
            message = error.localizedDescription
        }
    }

    func handleVerifyEmail(email: String, code: String) async {
        do {
            try await insforge.auth.verifyEmail(email: email, code: code)
            screen = "sign-in"
        } catch {
            message = "Invalid verification code"
        }
    }

    func handleResendCode(email: String) async {
        do {
            try await insforge.auth.resendVerificationEmail(email: email)
            message = "Verification code sent to \(email)"
        } catch {
            message = "Failed to resend verification code"
        }
    }

    func welcomeBack(email: String, password: String) async {
        do {
            let result = try await insforge.auth.signIn(email: email, password: password)
            if let user = result.user {
                message = "Welcome back, \(user.profile?.name ?? user.email)"
            }
        } catch {
            message = "Sign in failed: \(error)"
        }
    }

    func leave() async {
        do {
            try await insforge.auth.signOut()
            message = "User signed out"
        } catch {
            message = "Sign out failed: \(error)"
        }
    }

    func showUser() async {
        do {
            if let user = try await insforge.auth.getCurrentUser() {
                message = "Email: \(user.email), name: \(user.profile?.name ?? "N/A")"
            } else {
                message = "No user signed in"
            }
        } catch {
            message = "Error: \(error)"
        }
    }

    /// Not asynchronous, and it does not throw.
    func showSession() {
        if let session = insforge.auth.getSession() {
            message = "\(session.user.email) has a token of \(session.accessToken.count) characters"
        } else {
            message = "No session"
        }
    }

    func describeYourself() async throws {
        let result = try await insforge.auth.setProfile([
            "name": "JohnDev", "bio": "iOS Developer", "avatar_url": "https://example.com/avatar.jpg",
        ])
        message = "Profile updated: \(result.name ?? "nobody")"
    }

    /// Not asynchronous either: the page opens what it gets at once.
    func signInPage() -> URL {
        let authURL = insforge.auth.signInWithDefaultView(redirectTo: "yourapp://auth/callback")
        return authURL
    }

    func onOpenURL(_ url: URL) async {
        do {
            let response = try await insforge.auth.handleAuthCallback(url)
            message = "Authenticated: \(response.user.email)"
        } catch {
            message = "Auth failed: \(error)"
        }
    }

    func continueWith(_ provider: OAuthProvider) async {
        do {
            try await insforge.auth.signInWithOAuthView(provider: provider, redirectTo: "yourapp://auth/callback")
        } catch {
            message = error.localizedDescription
        }
    }

    static let providers: [OAuthProvider] = [
        .google, .github, .discord, .linkedin, .facebook, .instagram, .tiktok, .apple, .x, .spotify, .microsoft,
    ]

    func explainFailure(email: String, password: String) async throws {
        do {
            _ = try await insforge.auth.signIn(email: email, password: password)
        } catch let error as InsForgeAuthError {
            switch error {
            case .invalidCredentials: message = "Invalid email or password"
            case .userNotFound: message = "User not found"
            case .emailNotVerified: message = "Please verify your email"
            case .networkError(let underlying): message = "Network error: \(underlying)"
            default: message = "Auth error: \(error.localizedDescription)"
            }
        }
    }
}
