import Foundation
import IdentityKit

/// The families of tokens that sign-ins began, which stand and fall together (RFC 9700 section 4.14.2,
/// Backends/ThunderID.md#token-families).
final class TokenFamilies: Sendable {
    fileprivate struct Family: Codable, Sendable {
        let userID: String
        var endsAt: Date
        var isRevoked = false
        /// When each spent refresh token was spent first.
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

    /// - Parameter saved: the families of an earlier start.
    init(grace: Duration, restoring saved: State? = nil, time: TimeSource) {
        state = Locked(saved ?? State())
        self.grace = grace
        self.time = time
    }

    /// The families whose tokens have not all ended, to be saved.
    var saved: State {
        let now = time.now
        return state.withLock { state in
            var saved = state
            saved.families = state.families.filter { now < $0.value.endsAt }
            return saved
        }
    }

    /// Starts the family of a sign-in, or lets it last longer.
    /// - Parameter end: when its last token ends.
    func open(_ familyID: String, userID: String, until end: Date) {
        state.withLock { state in
            let last = state.families[familyID]?.endsAt ?? end
            state.families[familyID, default: Family(userID: userID, endsAt: end)].endsAt = max(last, end)
        }
    }

    /// The state of a token with this identifier and family, without its expiry.
    func worth(ofToken id: String, family: String?) -> LocalServerReport.Token.State {
        guard let family else { return state.withLock { $0.revokedTokens.contains(id) } ? .revoked : .good }
        return switch status(of: id, inFamily: family) {
        case .spent: .good
        case .replayed: .spent
        case .revoked: .revoked
        }
    }

    /// Whether a token still counts: neither it nor its family was revoked. A spent refresh token still counts.
    func isStanding(_ tokenID: String, ofFamily familyID: String?) -> Bool {
        state.withLock { state in
            guard let familyID else { return !state.revokedTokens.contains(tokenID) }
            return state.families[familyID].map { !$0.isRevoked } ?? false
        }
    }

    /// The result that spending a refresh token now would have.
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

    /// Revokes the tokens of one sign-in; false when they were revoked before.
    func revokeFamily(_ familyID: String) -> Bool {
        state.withLock { state in
            guard state.families[familyID]?.isRevoked == false else { return false }
            state.families[familyID]?.isRevoked = true
            return true
        }
    }

    func revokeToken(_ tokenID: String) { state.withLock { _ = $0.revokedTokens.insert(tokenID) } }

    /// Revokes the tokens of every sign-in, or of those of one user, and returns how many sign-ins that were.
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
