import Foundation
import IdentityStoreFormat

/// A further grant of a session: an authorization with its own refresh token, in addition to the session's first
/// authorization. A server that accepts only one resource per request requires a grant for each resource.
///
/// Each further grant has its own ``RefreshIntent``, the stored note that a refresh token was sent. If the outcome of a refresh
/// is unknown, the other grants can therefore still be refreshed. The tokens of all grants of a session are in one record, so
/// that one lease and one write suffice, and a sign-out ends them all.
package struct Grant: Equatable, Sendable, Encodable {
    /// The digest of the refresh token with which the grant was added. It reveals neither the person nor the token.
    package let id: String
    /// The tokens of the grant. Callers get only its tokens for resources, in ``Credential/tokens``, and never its
    /// `accessToken`.
    package var credential: Credential
    /// Whether the tokens are not stored yet. Their counter ``Credential/tokensSince`` then still has the value of the
    /// stored tokens.
    private var isUnstored = false

    package init(id: String, _ credential: Credential) { (self.id, self.credential) = (id, credential) }

    /// Marks the tokens as not stored yet, and gives them the counter value of the stored tokens. The ``RefreshIntent`` of a
    /// refresh with the unstored tokens then contains the value that other processes read from the store, so that they
    /// recognize that the grant is being refreshed.
    /// - Parameter number: the counter value of the stored tokens.
    mutating func keepNumber(_ number: UInt64) { (isUnstored, credential.tokensSince) = (true, number) }

    /// The grant as the next write stores it: tokens that are not stored yet get the next counter value.
    var stored: Grant {
        guard isUnstored else { return self }
        var stored = Grant(id: id, credential)
        stored.credential.tokensSince = (credential.tokensSince ?? 0) + 1
        return stored
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(credential, forKey: .credential)
    }

    private enum CodingKeys: String, CodingKey { case id, credential }

    /// Decodes a stored grant; `nil` when it is malformed. The person is then asked to authorize again.
    init?(stored: JSONValue) {
        guard case .object(let content) = stored else { return nil }
        var members = JSONMembers(content)
        do throws(JSONMembers.Defect) {
            var credential = JSONMembers(try members.object("credential"))
            self.init(id: try members.text("id"), try Credential(&credential))
        } catch {
            return nil
        }
    }
}

extension Credential {
    /// The session's first grant without its ``grants``, followed by each further grant.
    var grantsApart: [Credential] {
        guard !grants.isEmpty else { return [self] }
        var first = self
        first.grants = []
        return [first] + grants.map(\.credential)
    }

    /// The tokens for resources of all grants. The tokens of a further grant are left out while the grant's access token is
    /// unverified or rejected by the issuer (``isWithheld``).
    var allTokens: [ResourceToken] {
        grants.isEmpty
            ? tokens : tokens + grants.flatMap { $0.credential.isWithheld ? [] : $0.credential.tokens }
    }

    /// Latest expiry of ``allTokens``. A token without expiry counts as expiring at its issue date. `Date.distantPast`
    /// when there are no tokens.
    var lastUseOfResource: Date { allTokens.map { $0.expiresAt ?? $0.issuedAt }.max() ?? .distantPast }

    /// Number of tokens for resources, in all grants.
    var resourceTokenCount: Int { grants.reduce(tokens.count) { $0 + $1.credential.tokens.count } }

    /// Removes one token for a resource: the oldest of the session's first grant, or, if that grant has none, the oldest of the
    /// next grant that has one.
    mutating func dropOldestToken() {
        guard tokens.isEmpty else {
            tokens.removeFirst()
            return
        }
        let place = grants.firstIndex { !$0.credential.tokens.isEmpty }
        if let place { grants[place].credential.tokens.removeFirst() }
    }

    /// Identifier of the further grant that serves `wish`; `nil` for the first grant.
    ///
    /// The result is the first entry of this list that exists:
    /// 1. The first grant, if `wish` is for the session's own token, or the grant has a matching token.
    /// 2. The newest further grant with a matching token.
    /// 3. The newest further grant that was requested for the resource and can request a token now.
    /// 4. The newest further grant that was requested for the resource.
    /// 5. The first grant.
    package func grant(for wish: TokenWish, at now: Date) -> String? {
        guard let resource = wish.key?.resource, !grants.isEmpty, !isServing(wish, at: now) else { return nil }
        if let known = grants.last(where: { $0.credential.isServing(wish, at: now) }) { return known.id }
        let named = grants.filter { $0.credential.agreedResources.contains(resource) }
        let live = named.last { $0.credential.suspension == nil && $0.credential.choice(for: wish, at: now).isAsking }
        return (live ?? named.last)?.id
    }

    private func isServing(_ wish: TokenWish, at now: Date) -> Bool {
        if case .use = choice(for: wish, at: now) { true } else { false }
    }

    /// Whether this authorization includes all resources and scopes of `other`, at the same backend. `false` if `other`
    /// names no resource, because only the server knows which resources `other` is for.
    package func covers(_ other: Credential) -> Bool {
        !other.agreedResources.isEmpty && agreedResources.isSuperset(of: other.agreedResources)
            && GrantedScopes.suffice(agreedScopes ?? scopes, for: other.agreedScopes ?? other.scopes)
            && backend.hasBytes(of: other.backend)
    }

    /// Adds `authorization` as a further grant, which replaces the further grants that it covers. An authorization
    /// without a refresh token, or with the session's own refresh token, extends the first grant instead.
    /// - Returns: the covered grants, which are removed from the session.
    mutating func add(_ authorization: Credential) -> [Credential] {
        var added = authorization
        (added.profile, added.grants, added.sessionNumber) = (nil, [], nil)
        guard let token = added.refreshToken, token != refreshToken else {
            // Without a new refresh token, the session's refresh token stays in force (RFC 6749 section 6), so the
            // authorization extends the first grant.
            for token in added.tokens { file(token) }
            let agreed = agreedScopes ?? scopes
            if !added.scopes.isSubset(of: agreed) { agreedScopes = agreed.union(added.scopes) }
            return []
        }
        // Keep the identifier of a grant whose refresh token is unchanged, so that its refresh intent stays valid.
        let same = grants.first { $0.credential.refreshToken == token }
        added.tokensSince = same?.credential.tokensSince ?? 1
        if let same {
            added.agreedResources.formUnion(same.credential.agreedResources)
            added.agreedScopes = (same.credential.agreedScopes ?? same.credential.scopes).union(added.scopes)
        }
        let covered = grants.filter { $0.id != same?.id && added.covers($0.credential) }
        grants.removeAll { grant in grant.id == same?.id || covered.contains { $0.id == grant.id } }
        grants.append(Grant(id: same?.id ?? RefreshIntent.digest(of: token), added))
        return covered.map(\.credential)
    }
}

extension TokenChoice {
    /// Whether the choice requires a request to the server.
    fileprivate var isAsking: Bool {
        if case .ask = self { true } else { false }
    }
}

extension Suspension {
    private static let endedGrant = "grant_ended"

    /// The suspension of a session whose first grant has ended while further grants are still in use.
    init(ofEndedGrant reason: String, at now: Date) {
        self.init(Self.endedGrant, because: reason, retries: .never, at: now)
    }

    var isOfEndedGrant: Bool { kind == Self.endedGrant }
}

extension StoredSession {
    /// Whether callers can still use a token of this grant: in the first grant its access token, in a further grant a
    /// token for a resource.
    func hasUsableToken(at now: Date) -> Bool {
        guard grant != nil else { return credential.isUsable(at: now) }
        return !credential.isWithheld && credential.tokens.contains { $0.life.isValid(at: now) }
    }

    /// The error for callers during `suspension`. For a further grant with a `key`, the error concerns only the resource
    /// of `key`, because the session itself is not suspended.
    func error(of suspension: Suspension, _ account: AccountID, for key: TokenKey?) -> SessionError {
        guard grant != nil, let key else { return .suspended(account, suspension) }
        return .resourceNotGranted(
            account, resource: key.resource, reason: suspension.reason, nextAttempt: suspension.nextAttempt)
    }

    /// The error for callers when a further grant has ended. With `key`, the error says that the resource of `key` is
    /// not granted any more. Without `key`, the error lets callers try again, because the session continues.
    func error(ofEnd reason: String, _ account: AccountID, for key: TokenKey?) -> SessionError {
        guard let key else { return .refreshInProgress(account) }
        return .resourceNotGranted(
            account, resource: key.resource, reason: "Its authorization has ended. \(reason)", nextAttempt: nil)
    }
}
