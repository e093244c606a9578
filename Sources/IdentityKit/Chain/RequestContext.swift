/// The arguments of ``/IdentityCore/IdentityProvider`` as one value.
struct RequestContext: Hashable, Sendable {
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

    /// A sign-in in place of the session of `account`, which has ended. A chain tries the account's provider first.
    /// - Returns: `nil` when no provider can show a sign-in here.
    /// - Throws: when a provider fails or the user does not sign in.
    func signIn(again account: AccountID, _ context: RequestContext) async throws -> AccountID? {
        guard let provider = self as? any SigningInAgain else { return try await signIn(context) }
        return try await provider.signInInPlace(of: account, context)
    }
}

/// A provider of several providers, which chooses one to sign in with after the end of a session.
protocol SigningInAgain: SessionProvider {
    /// ``SessionProvider/signIn(again:_:)`` for a provider of several providers.
    func signInInPlace(of account: AccountID, _ context: RequestContext) async throws -> AccountID?
}
