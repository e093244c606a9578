import IdentityKit

/// The authorization codes of a server. A spent code is kept, so that it is recognized when it is sent again.
final class OneTimeCodes<Grant: Sendable>: Sendable {
    enum Redemption: Sendable {
        case fresh(Grant)
        case replayed(Grant)
        case unknown
    }

    private let entries = Locked<[String: (grant: Grant, isSpent: Bool)]>([:])

    /// - Parameters:
    ///   - isSpent: whether the code cannot be redeemed from the start.
    ///   - isOver: which of the earlier codes need not be recognized any more.
    func issue(_ grant: Grant, isSpent: Bool = false, forgetting isOver: (Grant) -> Bool = { _ in false }) -> String {
        let text = LocalIdentifiers.base64URL(byteCount: 20)
        entries.withLock { entries in
            entries = entries.filter { !isOver($1.grant) }
            entries[text] = (grant, isSpent)
        }
        return text
    }

    /// Spends a code, even if the rest of the request turns out to be wrong. A code that `accepts` refuses stays as it is.
    func redeem(_ text: String, if accepts: (Grant) -> Bool) -> Redemption {
        entries.withLock { entries in
            guard let (grant, isSpent) = entries[text], accepts(grant) else { return .unknown }
            entries[text]?.isSpent = true
            return isSpent ? .replayed(grant) : .fresh(grant)
        }
    }
}
