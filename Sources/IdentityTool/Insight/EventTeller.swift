import IdentityKit

/// Makes events of the changes of the store, each once: a choice that is lost and made again is written twice, and is one
/// event.
struct EventTeller {
    private let session: ToolSession
    private var active: AccountID?

    /// Begins with the current state.
    init(_ session: ToolSession) async {
        self.session = session
        active = try? await session.client.account()
    }

    /// The event of `change`; `nil` when there is none, or it was returned already.
    mutating func event(of change: StoreChange) async -> AccountChange? {
        switch change.key.collection {
        case .accounts:
            guard let account = AccountID(id: change.key.name) else { return nil }
            return await event(of: change, to: account)
        case .currentAccounts
        where change.key == .currentAccount(ofProfile: session.configuration.profile):
            // When it cannot be known now, there is no event.
            guard let lookup = try? await session.client.lookUp() else { return nil }
            let active = lookup.account
            guard active != self.active else { return nil }
            self.active = active
            return .selected(active)
        default: return nil
        }
    }

    private func event(of change: StoreChange, to account: AccountID) async -> AccountChange {
        guard change.hasContent else { return .signedOut(account) }
        if case .ended(let reason)? = try? await session.client.summary(of: account)?.session {
            return .sessionEnded(account, reason: SessionEndReason(reason))
        }
        return change.generation == 1 ? .signedIn(account) : .sessionStored(account)
    }
}
