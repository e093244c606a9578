/// What an app asks providers with. Inside the framework it is passed on as one value; ``IdentityProvider`` has its parts.
struct RequestContext: Hashable, Sendable {
    /// The OAuth scopes that are needed.
    let scopes: Set<String>
    /// An identifier unique to this physical device.
    let deviceToken: String
}

extension SessionProvider {
    func silentAccount(_ context: RequestContext) async throws -> AccountLookup {
        try await silentAccount(scopes: context.scopes, deviceToken: context.deviceToken)
    }

    func silentAccount(_ account: AccountID, _ context: RequestContext) async throws -> AccountLookup {
        try await silentAccount(account, scopes: context.scopes, deviceToken: context.deviceToken)
    }

    func signIn(_ context: RequestContext) async throws -> AccountID? {
        try await signIn(scopes: context.scopes, deviceToken: context.deviceToken)
    }

    /// A sign-in in place of the session of `account`, which has ended. A provider of several providers lets that of the
    /// account be the first to show one.
    /// - Returns: `nil` when nobody can show a sign-in here.
    /// - Throws: when a provider fails or the user does not sign in.
    func signIn(again account: AccountID, _ context: RequestContext) async throws -> AccountID? {
        guard let provider = self as? any SigningInAgain else { return try await signIn(context) }
        return try await provider.signInInPlace(of: account, context)
    }
}

/// A provider of several providers, which knows whose sign-in comes first after the end of a session.
protocol SigningInAgain: SessionProvider {
    /// What ``SessionProvider/signIn(again:_:)`` comes to.
    func signInInPlace(of account: AccountID, _ context: RequestContext) async throws -> AccountID?
}
