import Foundation
import IdentityKit

/// Makes an event of each change of the store, and each event once: a choice that is lost and made again, by whichever
/// program looks first, is written twice and is one change for a person.
struct EventTeller {
    /// Something that happened.
    struct Event: Encodable {
        let time: Date
        let event: String
        let account: String?
    }

    private let session: ToolSession
    private var active: AccountID?

    /// A teller of what happens from now on.
    init(_ session: ToolSession) async {
        self.session = session
        active = try? await session.client.account()
    }

    /// The event that `change` is; `nil` when it is none, or was told already.
    mutating func event(of change: StoreChange) async -> Event? {
        switch change.key.collection {
        case .accounts: return Event(time: Date(), event: await name(of: change), account: change.key.name)
        case .selections:
            // What cannot be known now is no change.
            guard let lookup = try? await session.client.lookUp() else { return nil }
            let active = lookup.account
            guard active != self.active else { return nil }
            self.active = active
            return Event(time: Date(), event: "active-account", account: active?.id)
        default: return nil
        }
    }

    private func name(of change: StoreChange) async -> String {
        guard change.hasContent else { return "signed-out" }
        let summary = try? await session.client.accounts().first { $0.account.id == change.key.name }
        if case .ended? = summary?.session { return "ended" }
        return change.generation == 1 ? "signed-in" : "session-stored"
    }
}
