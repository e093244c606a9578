import Foundation
import IdentityKit

extension Workshop {
    /// Signs in anew as `name`, or with whatever session there is.
    @discardableResult
    public func signIn(as name: String? = nil) async throws -> AccountID {
        guard let name else { return try await client.signIn(scopes: ["read"]) }
        var options = SignInWishes(prompt: "login", maximumAge: .seconds(600))
        options.loginHint = name
        do {
            return try await client.signIn(with: "lantern", scopes: ["read"], options: options)
        } catch let error as any IdentityFailure where error.failureCode == "sign_in_options_unusable" {
            // The provider cannot use these options, as one that asks for a password.
            return try await client.signIn(with: "lantern", scopes: ["read"])
        }
    }

    /// Everybody whom the store knows, page by page.
    public func people() async throws -> [String] {
        var (lines, position) = ([String](), String?.none)
        repeat {
            let page: AccountListing = try await client.accounts(after: position, limit: 20)
            lines += page.accounts.map(line) + page.failures.map { "unreadable: \($0.message)" }
            position = page.next
        } while position != nil
        return lines
    }

    private func line(_ summary: AccountSummary) -> String {
        let name = summary.profile.map { [$0.label, $0.email].compactMap(\.self).joined(separator: " ") } ?? ""
        let session: String =
            switch summary.session {
            case .live(let details): text(details)
            case .suspended(let details, let suspension): "\(text(details)), needs a sign-in: \(suspension.reason)"
            case .ended(let reason): "ended: \(reason)"
            case .kept(let details, let reason): "\(text(details)), kept: \(reason)"
            }
        return "\(client.serves(summary.account) ? "*" : " ") \(summary.account) \(name) \(session)"
    }

    private func text(_ session: AccountSummary.Details) -> String {
        let place = "\(session.providerType ?? "?") at \(session.backend) as \(session.clientID ?? "nobody")"
        let end = session.expiresAt?.ISO8601Format() ?? "never"
        return
            "\(place), \(session.scopes.sorted()), since \(session.signedInAt.ISO8601Format()), "
            + "ends \(end), \(session.responseDetails.count) details"
    }

    /// Makes another person the active one, and says who acts now.
    public func change(to account: AccountID) async throws -> String {
        try await client.select(account)
        switch try await client.lookUp() {
        case .found(let account): return "\(account)"
        case .suspended(let account, let suspension): return "\(account) until \(suspension.reason)"
        case .fallback(let account, let fallback): return "\(account), \(fallback)"
        case .absent(let reason): return "nobody: \(reason)"
        }
    }

    /// Forgets a person, and all who were away for a year.
    public func forget(_ account: AccountID) async throws -> Int {
        try await client.eraseAccount(account)
        return try await store.purgeSessions(unusedSince: .now - 365 * 86_400)
    }

    /// Takes over a session that an earlier version of the app has kept, once.
    public static func takeOver(
        _ token: Secret, of user: String, by sessions: ProviderSessions, from backend: String,
        removing remove: @escaping @Sendable () async throws -> Void
    ) async throws -> String {
        let old = Date(timeIntervalSince1970: 0)
        let credential = Credential(
            accessToken: "none", refreshToken: token, issuedAt: old, expiresAt: old,
            signedInAt: old, backend: backend)
        let session = ExternalSession(source: "version 1", account: user, credential: credential, remove: remove)
        let result = try await sessions.importSession(session)
        switch result {
        case .takenOver: return "\(sessions.realm)/\(user) stays signed in"
        case .alreadySignedIn, .signedOut, .ended: return "\(sessions.realm)/\(user): \(result.rawValue)"
        }
    }

    /// The refresh token that another program shall go on with.
    public static func handOver(_ account: AccountID, by sessions: ProviderSessions) async throws -> Secret? {
        try await sessions.storedCredential(of: account)?.refreshToken
    }
}
