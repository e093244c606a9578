import Foundation
import IdentityKit

/// Makes events of the changes of the store, each once: a choice that is lost and made again is written twice, and is one
/// event.
struct EventTeller {
    struct Event: Codable {
        let time: Date
        let event: String
        let account: String?
    }

    private let session: ToolSession
    private var active: AccountID?

    /// Begins with the current state.
    init(_ session: ToolSession) async {
        self.session = session
        active = try? await session.client.account()
    }

    /// The event of `change`; `nil` when there is none, or it was returned already.
    mutating func event(of change: StoreChange) async -> Event? {
        switch change.key.collection {
        case .accounts: return Event(time: Date(), event: await name(of: change), account: change.key.name)
        case .selections:
            // When it cannot be known now, there is no event.
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
        if let account = AccountID(id: change.key.name),
            case .ended?? = try? await session.client.summary(of: account)?.session
        {
            return "ended"
        }
        return change.generation == 1 ? "signed-in" : "session-stored"
    }
}
