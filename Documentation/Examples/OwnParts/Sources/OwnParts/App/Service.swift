import Foundation
import IdentityKit

/// A server that acts for many people, for each only where it is named.
public struct Service: Sendable {
    public let client: IdentityClient
    private let observers: IdentityObservers

    /// - Parameters:
    ///   - provider: signs people in; when its server is away, nobody is.
    ///   - store: keeps the sessions, sealed with `key`.
    public init(_ provider: any IdentityProvider, store: any TokenStore, key: any DataKeyHome) {
        var environment = IdentityEnvironment(
            store: store.sealed(storeID: "shop", key: key), webAuthenticator: nil)
        environment.refusesPrivateAddresses = true
        observers = environment.observers
        client = IdentityClient(
            provider: provider.treatingAsUnavailable { ($0 as? TransportError)?.wasNeverSent ?? false },
            environment: environment, requiresAccount: true)
    }

    /// Asks for one person's orders. The identifier is what the person's cookie holds.
    public func orders(of identifier: String, at address: URL) async throws -> Data? {
        guard let account = AccountID(id: identifier) else { return nil }
        return try await client.data(for: URLRequest(url: address), as: account, scopes: ["read"]).0
    }

    /// Returns when the session of a person is over, so that the connection to the browser can be closed.
    public func end(of account: AccountID) async {
        for await event in client.events(as: account) {
            switch event {
            case .signedOut, .sessionEnded, .belongsElsewhere: return
            case .signedIn, .fellBack, .suspended, .configurationChanged, .configurationRejected: continue
            }
        }
    }

    /// Prints what happens during `work`.
    public func observing(_ work: () async throws -> Void) async rethrows {
        let stopObserving = observers.add(LinePrinter(from: .debug))
        do {
            try await work()
            await stopObserving()
        } catch {
            await stopObserving()
            throw error
        }
    }
}
