import Foundation
import IdentityKit

func findAccount(
    work: any IdentityProvider, home: any IdentityProvider, store: any TokenStore, deviceToken: String
) async throws -> AccountID? {
    // snippet: fallback-chain
    let chain = try IdentityProviderChain(
        [.init("work", work), .init("home", home)], options: .init(store: store)
    ) { event in
        if event.level >= .info { print(event) }
    }
    let account = try await chain.activeAccount(scopes: [], deviceToken: deviceToken)
    // end snippet
    return account
}

func makeLinks(
    work: any ManagedIdentityProvider, home: some ManagedIdentityProvider
) -> [IdentityProviderChain.Link] {
    // snippet: going-on
    let patient = IdentityProviderChain.Link(
        "work", work, silentDeadline: SilentDeadline(.seconds(5), .skip), fallsBackWhenUnavailable: true)
    let lenient = IdentityProviderChain.Link("home", home.treatingAsUnavailable { $0 is TransportError })
    // end snippet
    return [patient, lenient]
}
