import Foundation
import IdentityKit

/// Turns changes of the store into events about accounts. A change causes no event if the printer has already seen it, if
/// it took place before the initializer ended, or if it selects the account that is already active.
struct EventPrinter {
    private let session: ToolSession
    private var active: AccountID?
    private var known: [AccountID: Known] = [:]

    /// The latest known state of an account.
    private struct Known {
        var generation: UInt64 = 0
        /// The time of the sign-in, which a refresh keeps; `nil` without a session.
        var signedInAt: Date?
        /// The account's name; `nil` if unknown. Kept after a sign-out, for the message about the sign-out.
        var name: String?
        /// The time at which the token for each resource was issued, by the identifier of the resource.
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

    /// Starts from the current state, which causes no events.
    /// - Throws: `TokenStoreError` when the accounts cannot be read, because each would then look like a new sign-in;
    ///   `CancellationError`.
    init(_ session: ToolSession) async throws {
        self.session = session
        for record in try await session.store.records(in: .accounts).records {
            guard let account = AccountID(id: record.key.name) else { continue }
            var state = Known(generation: record.generation)
            state.learn(try? AccountSummary(record, at: session.call.context.clock.now))
            known[account] = state
        }
        active = try? await session.client.account()
    }

    /// Returns `message` with the account's name instead of its identifier, or unchanged if no name is known.
    func named(_ message: String, _ account: String?) -> String {
        guard let account, let name = AccountID(id: account).flatMap({ known[$0]?.name }) else { return message }
        return message.replacingOccurrences(of: account, with: name)
    }

    /// Returns the event for `change`; `nil` if the change causes none, or if its event was returned already.
    mutating func event(of change: StoreChange) async -> AccountChange? {
        switch change.key.collection {
        case .accounts:
            guard let account = AccountID(id: change.key.name) else { return nil }
            return await event(of: change, to: account)
        case .currentAccounts
        where change.key == .currentAccount(ofProfile: session.configuration.profile):
            // Without a successful lookup the active account is unknown, so there is no event.
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
        // A record that was purged and written again begins at generation 1.
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
        // If the record cannot be read, the kind of change is unknown. Only the generation is updated, so that the next change
        // is compared with the last known session.
        guard let summary = try? await session.client.summary(of: account) else { return nil }
        state.learn(summary)
        if case .ended(let reason) = summary.session {
            return .sessionEnded(account, reason: reason)
        }
        guard state.signedInAt == former.signedInAt else { return .signedIn(account) }
        let renewed = state.resources.filter { former.resources[$0.key] != $0.value }
        return .sessionStored(account, resource: renewed.count == 1 ? renewed.keys.first : nil)
    }
}
