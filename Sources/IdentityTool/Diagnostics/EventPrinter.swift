import Foundation
import IdentityKit

/// Makes events of the changes of the store, each once: a choice that is lost and made again is written twice, and is one
/// event. What was written before it began is no event.
struct EventPrinter {
    private let session: ToolSession
    private var active: AccountID?
    private var known: [AccountID: Known] = [:]

    /// The state of an account that was last written.
    private struct Known {
        var generation: UInt64 = 0
        /// When it signed in, which a refresh keeps; `nil` without a session.
        var signedInAt: Date?
        /// The name for people, also once the account has signed out.
        var name: String?
        /// When the token for each resource was issued.
        var resources: [String: Date] = [:]

        mutating func learn(_ summary: AccountSummary?) {
            name = summary?.profile?.inWords ?? name
            switch summary?.session {
            case .live(let details)?, .suspended(let details, _)?, .kept(let details, _)?:
                (signedInAt, resources) = (details.signedInAt, details.resources)
            case .ended?, nil: (signedInAt, resources) = (nil, [:])
            }
        }
    }

    /// Begins with the current state.
    init(_ session: ToolSession) async {
        self.session = session
        for record in (try? await session.store.records(in: .accounts).records) ?? [] {
            guard let account = AccountID(id: record.key.name) else { continue }
            var state = Known(generation: record.generation)
            state.learn(try? AccountSummary(record, at: session.call.context.clock.now))
            known[account] = state
        }
        active = try? await session.client.account()
    }

    /// `message` with what people call the account in place of its identifier.
    func named(_ message: String, _ account: String?) -> String {
        guard let account, let name = AccountID(id: account).flatMap({ known[$0]?.name }) else { return message }
        return message.replacingOccurrences(of: account, with: name)
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

    private mutating func event(of change: StoreChange, to account: AccountID) async -> AccountChange? {
        var state = known[account] ?? Known()
        // A record that was purged begins anew.
        guard change.generation > state.generation || (change.generation == 1 && state.signedInAt == nil) else {
            return nil
        }
        let former = state
        state.generation = change.generation
        defer { known[account] = state }
        guard change.hasContent else {
            state.learn(nil)
            return .signedOut(account)
        }
        let summary = try? await session.client.summary(of: account)
        state.learn(summary)
        if case .ended(let reason)? = summary?.session {
            return .sessionEnded(account, reason: SessionEndReason(reason))
        }
        guard state.signedInAt == former.signedInAt else { return .signedIn(account) }
        let renewed = state.resources.filter { former.resources[$0.key] != $0.value }
        return .sessionStored(account, resource: renewed.count == 1 ? renewed.keys.first : nil)
    }
}
