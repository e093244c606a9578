import Foundation
import IdentityOAuth

/// The sign-ins that are in a browser, each under its own `state`: any number at a time, also across a restart of the
/// app.
typealias PendingRedirects = PendingFlowStore<PendingRedirect>

/// A sign-in in a browser and the session it is for. The store keeps the sign-in alone.
struct PendingRedirect: PendingFlowRecord {
    let pending: PendingAuthorization
    /// `nil` for the one without a name, and when the app was restarted meanwhile.
    let sessionID: String?

    var flowID: String { pending.state }
    var expiresAt: Date { pending.expiresAt }

    init(_ pending: PendingAuthorization, for sessionID: String?) {
        self.pending = pending
        self.sessionID = sessionID
    }

    init(from decoder: any Decoder) throws {
        self.init(try PendingAuthorization(from: decoder), for: nil)
    }

    func encode(to encoder: any Encoder) throws { try pending.encode(to: encoder) }
}
