import IdentityKit

extension MailService {
    // snippet: a-default-chain
    /// For apps that bring no provider: the person who is signed in to the app, and on a build machine its own token.
    ///
    /// - Parameter store: where the app keeps its sessions. Nothing is written there.
    public static func defaultIdentity(
        store: any TokenStore, observe: @escaping @Sendable (ObservedEvent) -> Void = { _ in }
    ) throws -> IdentityProviderChain {
        let person = IdentityProviders.storedAccount(
            realm: "openid-connect", backend: "http://127.0.0.1:8703", store: store)
        let machine = IdentityProviders.environmentToken(
            for: AccountID(account: "build", realm: "machine"), variable: "MAIL_TOKEN")
        return try IdentityProviderChain([.init("person", person), .init("machine", machine)], observe: observe)
    }
    // end snippet

    // snippet: explaining
    /// What each provider says, in the order in which they are asked: for the reports that users send.
    public func report() async -> [String] {
        guard let chain = identity as? IdentityProviderChain else { return ["The app brings its own provider."] }
        return await chain.explain(scopes: Self.scopes, deviceToken: deviceToken).map(\.description)
    }
    // end snippet
}
