import InsForge
import SwiftUI

/// Every name of InsForge's SDK (d8ae2b0) that is the same here, with the types it has there.
enum InsForgeNames {
    static func client(baseURL: URL) -> InsForgeClient {
        let auth = InsForgeClientOptions.AuthOptions(
            autoRefreshToken: true, storage: InMemoryAuthStorage(), clientType: .mobile)
        print(auth.autoRefreshToken, auth.storage, auth.clientType == ClientType.desktop)
        let global = InsForgeClientOptions.GlobalOptions(
            headers: ["X-App": "1"], retry: .default, logLevel: .info, logDestination: .console, logSubsystem: "app")
        print(global.headers, global.logLevel, global.logDestination, global.logSubsystem, global.retry)
        let options = InsForgeClientOptions(auth: auth, global: global)
        print(options.auth, options.global)
        let client = InsForgeClient(baseURL: baseURL, anonKey: "anon", options: options)
        print(client.baseURL, client.anonKey)
        return client
    }

    static func account(_ client: InsForgeClient) async throws {
        let auth = client.auth
        auth.setAuthStateChangeListener { (session: Session?) in print(session?.user.id ?? "") }
        let token: String? = try await auth.getAccessToken()
        let registration: SignUpResponse = try await auth.signUp(email: "a@b.example", password: "p", name: nil)
        print(token ?? "", registration.user?.id ?? "", registration.accessToken ?? "")
        print(registration.refreshToken ?? "", registration.requireEmailVerification ?? false)
        print(registration.needsEmailVerification, registration.hasSession)
        if let session: Session = auth.getSession() { print(session.accessToken, session.user.email) }
        try await auth.signOut()
        try await auth.sendEmailVerification(email: "a@b.example")
        let profile: Profile = try await auth.updateProfile(["nick": "ada"])
        print(profile.id, try await auth.getProfile(userId: profile.id).id)
        try await auth.sendPasswordReset(email: "a@b.example")
        let reset: ResetPasswordTokenResponse = try await auth.exchangeResetPasswordToken(
            email: "a@b.example", code: "1")
        print(reset.token, reset.expiresAt ?? .distantPast)
        try await auth.resetPassword(otp: reset.token, newPassword: "q")
        let response: AuthResponse = try await auth.refreshAccessToken()
        print(response.user.id, response.refreshToken ?? "")
    }

    static func browser(_ client: InsForgeClient, callback: URL) async throws {
        let auth = client.auth
        let providers: [OAuthProvider] = [
            .google, .github, .discord, .linkedin, .facebook, .instagram, .tiktok, .apple, .x, .spotify, .microsoft,
        ]
        for provider in providers {
            let response: AuthResponse? = try await auth.signInWithOAuthView(
                provider: provider, redirectTo: "app://callback")
            print(response?.user.id ?? "")
        }
        _ = try await auth.signInWithOAuthView(providerKey: "own", redirectTo: "app://callback")
        let user: User = try await auth.handleAuthCallback(callback).user
        let profile: UserProfile? = user.profile
        print(user.id, user.email, user.name ?? "", user.providers ?? [], profile?.name ?? "", profile?.avatarUrl ?? "")
    }
}

/// A form that uses what the module brings: the button of Sign in with Apple.
struct InsForgeForm: View {
    @State private var email = ""

    var body: some View {
        VStack {
            #if os(iOS)
            TextField("Email", text: $email).autocapitalization(.none)
            #endif
            SignInWithAppleButton {
                $0.requestedScopes = [.email]
            } onCompletion: {
                print($0)
            }
        }
    }
}
