#if Tools
import Foundation
import IdentityKit

/// The tokens that one sign-in produced stand and fall together (ThunderID token families, claim `tfid`).
final class TokenFamilies: Sendable {
    private struct Family: Sendable {
        let userID: String
        var isRevoked = false
        /// When each spent refresh token was spent, by `jti`.
        var spentAt: [String: Date] = [:]
    }

    private struct State: Sendable {
        var families: [String: Family] = [:]
        /// `jti` of revoked tokens that belong to no family.
        var revokedTokens: Set<String> = []
    }

    /// What became of an attempt to spend a refresh token.
    enum Spending: Sendable {
        case spent
        case replayed
        case revoked
    }

    private let state = Locked(State())
    private let grace: Duration
    private let time: TimeSource

    init(grace: Duration, time: TimeSource) {
        self.grace = grace
        self.time = time
    }

    /// Starts the family of a sign-in.
    func open(_ familyID: String, userID: String) {
        state.withLock { $0.families[familyID] = Family(userID: userID) }
    }

    /// Whether a token still counts: neither it nor its family was revoked. A spent refresh token still counts.
    func isStanding(_ token: VerifiedToken) -> Bool {
        state.withLock { state in
            guard let familyID = token.familyID else { return !state.revokedTokens.contains(token.id) }
            return state.families[familyID].map { !$0.isRevoked } ?? false
        }
    }

    /// What would become of spending a refresh token now.
    func status(of tokenID: String, inFamily familyID: String) -> Spending {
        state.withLock { status(of: tokenID, inFamily: familyID, in: $0) }
    }

    /// Spends a refresh token. Of two at the same moment one is a replay.
    func spend(_ tokenID: String, inFamily familyID: String) -> Spending {
        state.withLock { state in
            let status = status(of: tokenID, inFamily: familyID, in: state)
            // A token spent once more within the grace keeps its first time, so that the grace ends.
            if status == .spent, state.families[familyID]?.spentAt[tokenID] == nil {
                state.families[familyID]?.spentAt[tokenID] = time.now
            }
            return status
        }
    }

    /// Revokes a family; false when it was revoked before or never existed.
    func revoke(_ familyID: String) -> Bool {
        state.withLock { state in
            guard state.families[familyID]?.isRevoked == false else { return false }
            state.families[familyID]?.isRevoked = true
            return true
        }
    }

    /// Revokes a token that belongs to no family.
    func revokeToken(_ tokenID: String) {
        state.withLock { _ = $0.revokedTokens.insert(tokenID) }
    }

    /// Revokes what a user has and says how many families that were.
    func revokeAll(ofUser userID: String) -> Int {
        let standing = state.withLock { $0.families.filter { $1.userID == userID && !$1.isRevoked }.keys }
        return standing.filter(revoke).count
    }

    private func status(of tokenID: String, inFamily familyID: String, in state: State) -> Spending {
        guard let family = state.families[familyID], !family.isRevoked else { return .revoked }
        guard let spentAt = family.spentAt[tokenID] else { return .spent }
        return time.now < spentAt + grace.timeInterval ? .spent : .replayed
    }
}
#endif
