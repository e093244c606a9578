import Foundation
import SwiftIdentity

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What can be done, whatever the backend is.
enum Command {
    case signIn(String?)
    case whoAmI
    case call(URL)
    case signOut
    case watch

    init?(_ words: ArraySlice<String>) {
        switch (words.first, words.dropFirst().first) {
        case ("sign-in", let name): self = .signIn(name)
        case ("whoami", nil): self = .whoAmI
        case ("call", let address?):
            guard let url = URL(string: address) else { return nil }
            self = .call(url)
        case ("sign-out", nil): self = .signOut
        case ("watch", nil): self = .watch
        default: return nil
        }
    }

    func run(_ client: IdentityClient, _ file: URL) async throws {
        switch self {
        case .signIn(let name): try await say(client.signIn(with: name, scopes: ["openid"]), client)
        case .whoAmI: try await say(client.account(), client)
        case .call(let url):
            let (data, response) = try await client.data(for: URLRequest(url: url))
            print(response.statusCode, String(decoding: data, as: UTF8.self))
        case .signOut:
            try await client.signOut()
            try await say(client.account(), client)
        case .watch: try await watch(client, file)
        }
    }

    private func say(_ account: AccountID?, _ client: IdentityClient) async throws {
        guard let account else { return print("Nobody is signed in.") }
        let profile = try await client.summary(of: account)?.profile
        print("Signed in with \(account.realm) as \(profile?.label ?? account.account).")
    }

    // snippet: following-a-file
    /// Follows the file until the program is stopped. What it names is in use a moment later.
    private func watch(_ client: IdentityClient, _ file: URL) async throws {
        try await say(client.account(), client)
        let events = client.events()
        let following = Task { await client.follow(file) }
        defer { following.cancel() }
        for await event in events {
            switch event {
            case .configurationChanged(let change):
                print(change)
                try await say(client.account(), client)
            case .configurationRejected(let reason): print("Not in use: \(reason)")
            case .signedIn, .signedOut, .fellBack, .suspended, .sessionEnded, .belongsElsewhere: break
            }
        }
    }
    // end snippet
}
