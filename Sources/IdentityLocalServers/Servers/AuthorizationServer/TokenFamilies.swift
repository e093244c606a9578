import Foundation
import IdentityKit

/// The token families of a server. A family consists of the tokens of one sign-in, which are revoked together (RFC 9700
/// section 4.14.2, Backends/ThunderID.md#token-families).
final class TokenFamilies: Sendable {
    fileprivate struct Family: Codable, Sendable {
        let userID: String
        var endsAt: Date
        var isRevoked = false
        /// The time at which each spent refresh token was first spent.
        var spentAt: [String: Date] = [:]
    }

    struct State: Codable, Sendable {
        fileprivate var families: [String: Family] = [:]
        /// Revoked tokens that belong to no family.
        fileprivate var revokedTokens: Set<String> = []
    }

    /// The result of an attempt to spend a refresh token.
    enum Spending: Sendable {
        case spent
        case replayed
        case revoked
    }

    private let state: Locked<State>
    private let grace: Duration
    private let time: TimeSource

    /// - Parameter saved: the families of an earlier run of the server; `nil` for none.
    init(grace: Duration, restoring saved: State? = nil, time: TimeSource) {
        state = Locked(saved ?? State())
        self.grace = grace
        self.time = time
    }

    /// The state to save: the families with an unexpired token, and the revoked tokens without a family.
    var saved: State {
        let now = time.now
        return state.withLock { state in
            var saved = state
            saved.families = state.families.filter { now < $0.value.endsAt }
            return saved
        }
    }

    /// Starts the family of a sign-in. If the family exists already and would end before `end`, its end is moved to `end`.
    /// - Parameter end: the expiry of the family's last token.
    func open(_ familyID: String, userID: String, until end: Date) {
        state.withLock { state in
            let last = state.families[familyID]?.endsAt ?? end
            state.families[familyID, default: Family(userID: userID, endsAt: end)].endsAt = max(last, end)
        }
    }

    /// The state of a token with this identifier and family. The result is never `expired`, because the expiry of the token is
    /// not known here. Tokens of an unknown family count as revoked.
    func worth(ofToken id: String, family: String?) -> LocalServerReport.Token.State {
        guard let family else { return state.withLock { $0.revokedTokens.contains(id) } ? .revoked : .good }
        return switch status(of: id, inFamily: family) {
        case .spent: .good
        case .replayed: .spent
        case .revoked: .revoked
        }
    }

    /// Whether the token is not revoked: its family is known and not revoked, or it has no family and is not revoked
    /// itself. Spent refresh tokens count as not revoked.
    func isStanding(_ tokenID: String, ofFamily familyID: String?) -> Bool {
        state.withLock { state in
            guard let familyID else { return !state.revokedTokens.contains(tokenID) }
            return state.families[familyID].map { !$0.isRevoked } ?? false
        }
    }

    /// The result that ``spend(_:inFamily:)`` would have now. This method records no use of the token.
    func status(of tokenID: String, inFamily familyID: String) -> Spending {
        state.withLock { status(of: tokenID, inFamily: familyID, in: $0) }
    }

    /// Records the first use of a refresh token. Further uses within the grace period after the first use also return
    /// `spent`, and later uses return `replayed`. Without a grace period, the second of two simultaneous requests is a
    /// replay. For a revoked or unknown family, nothing is recorded, and the result is `revoked`.
    func spend(_ tokenID: String, inFamily familyID: String) -> Spending {
        state.withLock { state in
            let status = status(of: tokenID, inFamily: familyID, in: state)
            // Keep the time of the first use if the token is spent again, so that the grace period is not extended.
            if status == .spent, state.families[familyID]?.spentAt[tokenID] == nil {
                state.families[familyID]?.spentAt[tokenID] = time.now
            }
            return status
        }
    }

    /// Revokes the tokens of one sign-in; returns false if they were revoked already or the family is unknown.
    func revokeFamily(_ familyID: String) -> Bool {
        state.withLock { state in
            guard state.families[familyID]?.isRevoked == false else { return false }
            state.families[familyID]?.isRevoked = true
            return true
        }
    }

    func revokeToken(_ tokenID: String) { state.withLock { _ = $0.revokedTokens.insert(tokenID) } }

    /// Revokes the tokens of all sign-ins of a user, and returns the number of sign-ins that were not revoked before.
    /// - Parameter userID: the identifier of the user; `nil` for all users.
    func revokeFamilies(ofUser userID: String?) -> Int {
        let families = state.withLock { $0.families.filter { userID == nil || $1.userID == userID }.keys }
        return families.filter(revokeFamily).count
    }

    private func status(of tokenID: String, inFamily familyID: String, in state: State) -> Spending {
        guard let family = state.families[familyID], !family.isRevoked else { return .revoked }
        guard let spentAt = family.spentAt[tokenID] else { return .spent }
        return time.now < spentAt + grace.timeInterval ? .spent : .replayed
    }
}
