import Foundation
import SwiftIdentity

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The program of the article. What it prints is checked where it is followed; `PageSignInTests` runs the same calls.
private func program(browser: any WebAuthenticator) async {
    // snippet: a-first-program
    do {
        let client = try IdentityClient(webAuthenticator: browser)
        let account = try await client.signIn(scopes: ["openid"])
        print("Signed in as \(account)")

        let address = try ServerURL(CommandLine.arguments.last ?? "", allowsLoopbackHTTP: true).url
        let (data, response) = try await client.data(for: URLRequest(url: address))
        print(response.statusCode, data.count)

        try await client.signOut()
    } catch {
        print(error.localizedDescription)
        exit(1)
    }
    // end snippet
}

// snippet: showing-a-session
@MainActor func show(_ client: IdentityClient) async {
    let session = IdentityState(client)
    await session.refresh()
    for await state in session.states() {
        switch state {
        case .unknown: print("not known yet")
        case .signedOut: print("nobody is signed in")
        case .signedIn(let account): print("hello, \(session.profile?.label ?? account.account)")
        }
    }
}
// end snippet

// snippet: telling-failures-apart
/// The sentence of an app about an error of its client.
func notice(about error: any Error) -> String {
    switch error.identityFailureClass {
    case .transient: "\(error.localizedDescription) You are still signed in."
    case .definitive: error.localizedDescription
    case .unavailable: "\(error.localizedDescription) Ask whoever runs this app."
    }
}
// end snippet

func useInShort(
    _ configuration: IdentityConfiguration, _ registry: ProviderRegistry, for request: URLRequest
) async throws -> (Data, HTTPURLResponse) {
    // snippet: a-client-in-short
    let client = try IdentityClient(configuration: configuration, registry: registry)
    try await client.signIn(scopes: ["openid"])
    let (data, response) = try await client.data(for: request)
    // end snippet
    return (data, response)
}
