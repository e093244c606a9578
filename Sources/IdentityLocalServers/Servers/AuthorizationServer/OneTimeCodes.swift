import IdentityKit

/// The authorization codes of a server. Spent codes are kept, so that a replay is recognized.
final class OneTimeCodes<Grant: Sendable>: Sendable {
    enum Redemption: Sendable {
        case fresh(Grant)
        case replayed(Grant)
        case unknown
    }

    private let entries = Locked<[String: (grant: Grant, isSpent: Bool)]>([:])

    /// - Parameters:
    ///   - isSpent: whether the code is spent from the start, so that its first redemption counts as a replay.
    ///   - isOver: returns, for the grant of each earlier code, whether to forget the code. A forgotten code is unknown, even
    ///     if it was spent.
    func issue(_ grant: Grant, isSpent: Bool = false, forgetting isOver: (Grant) -> Bool = { _ in false }) -> String {
        let text = LocalIdentifiers.base64URL(byteCount: 20)
        entries.withLock { entries in
            entries = entries.filter { !isOver($1.grant) }
            entries[text] = (grant, isSpent)
        }
        return text
    }

    /// Spends a code if `accepts` returns true for its grant. If `accepts` returns false, the code does not change, and the
    /// result is `unknown`. A spent code stays spent, even if the rest of the request turns out to be wrong.
    func redeem(_ text: String, if accepts: (Grant) -> Bool) -> Redemption {
        entries.withLock { entries in
            guard let (grant, isSpent) = entries[text], accepts(grant) else { return .unknown }
            entries[text]?.isSpent = true
            return isSpent ? .replayed(grant) : .fresh(grant)
        }
    }
}
