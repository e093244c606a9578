import Foundation
import IdentityKit

func findAccount(
    work: any IdentityProvider, home: any IdentityProvider, store: any TokenStore, deviceToken: String
) async throws -> AccountID? {
    // snippet: fallback-chain
    let chain = try IdentityProviderChain(
        [.init("work", work), .init("home", home)], store: store
    ) { event in
        if event.level >= .info { print(event) }
    }
    let account = try await chain.activeAccount(scopes: [], deviceToken: deviceToken)
    // end snippet
    return account
}

func makeLinks(
    work: any SessionProvider, home: some SessionProvider
) -> [IdentityProviderChain.Link] {
    // snippet: going-on
    let patient = IdentityProviderChain.Link(
        "work", work, silentDeadline: SilentDeadline(.seconds(5), .skip), fallsBackWhenUnavailable: true)
    let lenient = IdentityProviderChain.Link("home", home.treatingAsUnavailable { $0 is TransportError })
    // end snippet
    return [patient, lenient]
}

func describe(_ client: IdentityClient) async throws -> String {
    // snippet: end-of-session
    switch try await client.lookUp() {
    case .found(let account):
        return "Signed in as \(account)."
    case .suspended(let account, let suspension):
        return "Signed in as \(account), who is asked to sign in again: \(suspension.reason)"
    case .fallback(let account, let fallback):
        return "Acting as \(account), \(fallback)"
    case .absent(.activeSessionEnded(let account, let reason)):
        return "The session of \(account) has ended: \(reason)"
    case .absent(.activeBelongsElsewhere(let account, let reason)):
        return "The session of \(account) cannot be used here: \(reason)"
    case .absent(let reason):
        return "Nobody is signed in: \(reason)"
    }
    // end snippet
}

func fallBack(
    work: any IdentityProvider, machine: any IdentityProvider, store: any TokenStore, deviceToken: String
) async throws {
    // snippet: falling-back-after-the-end
    let chain = try IdentityProviderChain(
        [.init("work", work), .init("machine", machine)], store: store, onSessionEnd: .fallBack)
    let lookup = try await chain.silentAccount(in: CallerContext(deviceToken: deviceToken))
    if let fallback = lookup.fallback { print("Not the usual account: \(fallback)") }
    // end snippet
}

private struct QuietProvider: IdentityProvider {
    // snippet: never-shows-anything
    let mayShowSignIn = false
    // end snippet

    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? { nil }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        throw SessionError.notSignedIn(accountID)
    }
}
