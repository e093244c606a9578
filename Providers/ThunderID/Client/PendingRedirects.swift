import Foundation
import IdentityKit
import OAuthKit

/// The sign-ins that are in a browser, each under its own `state`: any number at a time, also across a restart of the
/// app.
final class PendingRedirects: Sendable {
    /// A sign-in and the session it is for.
    struct Redirect: Sendable {
        let pending: PendingAuthorization
        /// `nil` for the one without a name, and when the app was restarted meanwhile.
        let sessionID: String?
    }

    /// Under the name of the record that keeps a sign-in, which is compared byte by byte.
    private let underway = Locked<[StoreKey: Redirect]>([:])
    private let stored: PendingAuthorizations
    private let backlog: SerialQueue
    private let time: TimeSource

    init(store: any TokenStore, backlog: SerialQueue, time: TimeSource) {
        stored = PendingAuthorizations(store: store, time: time)
        self.backlog = backlog
        self.time = time
    }

    /// Remembers a sign-in: at once in this process, and soon in the store.
    func add(_ pending: PendingAuthorization, for sessionID: String?) {
        let now = time.now
        underway.withLock { underway in
            underway = underway.filter { now < $0.value.pending.expiresAt }
            underway[StoreKey(.pendingFlows, pending.state)] = Redirect(pending: pending, sessionID: sessionID)
        }
        // A store that cannot keep it costs only the restart of the app.
        backlog.add { [stored] in try? await stored.add(pending) }
    }

    /// The sign-in that waits under `state`, which waits no longer.
    /// - Throws: ``TokenStoreError``.
    func take(state: String, clientID: String) async throws -> Redirect? {
        await backlog.finish()
        let known = underway.withLock { $0.removeValue(forKey: StoreKey(.pendingFlows, state)) }
        if let known {
            _ = try? await stored.take(state: state)
            return known
        }
        return try await stored.take(state: state) { $0.clientID.hasBytes(of: clientID) }
            .map { Redirect(pending: $0, sessionID: nil) }
    }
}
