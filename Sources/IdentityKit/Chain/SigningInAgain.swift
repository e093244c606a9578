/// A provider of several providers, which knows whose sign-in comes first after the end of a session.
protocol SigningInAgain: SessionProvider {
    /// A sign-in in place of the session of `account`, which has ended: its provider is the first to show one.
    /// - Returns: `nil` when nobody can show a sign-in here.
    /// - Throws: when a provider fails or the user does not sign in.
    func signIn(again account: AccountID, scopes: Set<String>, deviceToken: String) async throws -> AccountID?
}

extension IdentityProviderChain: SigningInAgain {}
