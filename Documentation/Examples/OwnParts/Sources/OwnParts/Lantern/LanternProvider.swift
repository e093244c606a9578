import Foundation
import IdentityKit

/// Signs people in at a Lantern server with questions. Sessions are kept, refreshed and ended by `ProviderSessions`.
final class LanternProvider: SessionBackedProvider, ServerExamining {
    let sessions: ProviderSessions
    private let server: LanternServer
    private let prompter: (any FlowPrompter)?

    init(_ settings: LanternPlugin.Settings, in context: ProviderContext) {
        let server = LanternServer(settings, in: context.environment)
        let backend = SessionBackend(
            type: LanternPlugin.type, backend: server.backend, clientID: settings.clientID,
            replay: .window(.seconds(30)), discard: { try? await server.revoke($0) },
            // Lantern gives each sign-in a grant of its own, so that the end of one leaves the others.
            areIndependent: { $0.refreshToken != $1.refreshToken },
            inquire: { try await server.takes($0) }, revoke: { try await server.revoke($0) }
        ) { credential, context in try await server.refresh(credential, in: context) }
        (self.server, prompter) = (server, context.environment.prompter)
        sessions = ProviderSessions(backend, in: context)
    }

    var mayShowSignIn: Bool { prompter != nil }
    var signInForm: SignInForm? { .questions }

    func signIn(in context: CallerContext) async throws -> AccountID? {
        try await signIn(in: context, options: .init())
    }

    /// A login hint is proposed, and a sign-in always asks: other wishes need nothing.
    func signIn(in context: CallerContext, options: SignInWishes) async throws -> AccountID? {
        guard let prompter else { return nil }
        var problem: String?
        while true {
            let answer = try await prompter.answer(question(options, problem, context.scopes))
            guard answer.action != "leave" else { throw CancellationError() }
            do {
                let credential = try await server.signIn(answer.values, scopes: context.scopes)
                let account = AccountID(account: credential.profile?.username ?? "", realm: sessions.realm)
                try await sessions.begin(credential, for: account)
                return account
            } catch let error as LanternError where error.failureClass == .definitive {
                problem = error.message
            }
        }
    }

    private func question(_ wishes: SignInWishes, _ problem: String?, _ scopes: Set<String>) -> SignInPrompt {
        var user = SignInPrompt.Field(identifier: "user", label: "User name", kind: .username)
        user.placeholder = wishes.loginHint
        var password = SignInPrompt.Field(identifier: "password", label: "Password", kind: .password)
        password.rules = [.init(lengths: 8...200, message: "A password has at least 8 characters.")]
        var prompt = SignInPrompt(
            provider: sessions.realm, problem: problem, fields: [user, password],
            actions: [
                .init(identifier: "go", label: "Sign in", rank: .primary),
                .init(identifier: "leave", label: "Leave", rank: .quiet, purpose: .otherWay),
            ])
        prompt.title = "Lantern"
        if !scopes.isEmpty { prompt.parts = [.consent(purpose: "The app asks for them.", fields: scopes.sorted())] }
        return prompt
    }

    /// The token that proves the scopes; Lantern has no further document.
    func requestAuthorization(for accountID: AccountID, scopes: Set<String>, deviceToken: String) async throws -> Data?
    {
        _ = try await sessions.credential(for: accountID, scopes: scopes)
        return nil
    }

    func examineServer() async throws -> ExaminedServer? { try await server.examine() }

    func signOut(_ accountID: AccountID) async throws {
        guard let ended = try await sessions.end(accountID) else { return }
        // The session is over here. What the server could not be told now is told later.
        await sessions.revoke(ended, of: accountID)
    }
}
