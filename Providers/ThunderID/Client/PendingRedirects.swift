import Foundation
import IdentityOAuth

/// The unfinished sign-ins in a browser, by `state`. The latest hundred are kept, also when the app restarts.
typealias PendingRedirects = PendingFlowStore<PendingRedirect>

/// A sign-in in a browser, with the session to sign in to.
struct PendingRedirect: PendingFlowRecord {
    let pending: PendingAuthorization
    /// The name of the session to sign in to; `nil` for the session without a name.
    let sessionID: String?

    var flowID: String { pending.state }
    var expiresAt: Date { pending.expiresAt }

    init(_ pending: PendingAuthorization, for sessionID: String?) {
        self.pending = pending
        self.sessionID = sessionID
    }

    private enum Key: CodingKey { case sessionID }

    init(from decoder: any Decoder) throws {
        let sessionID = try decoder.container(keyedBy: Key.self).decodeIfPresent(String.self, forKey: .sessionID)
        self.init(try PendingAuthorization(from: decoder), for: sessionID)
    }

    func encode(to encoder: any Encoder) throws {
        try pending.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(sessionID, forKey: .sessionID)
    }
}
