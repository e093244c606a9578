import Foundation
import IdentityStoreFormat

/// A further authorization in a session, with a refresh token of its own, for servers that accept one resource per
/// request. The session's own access token belongs to its first authorization.
///
/// Each grant has its own note in ``RefreshIntents``, so that a refresh with unknown outcome does not block the others.
/// All grants are in one record, so that one lease and one write suffice, and a sign-out ends them all.
package struct Grant: Equatable, Sendable, Encodable {
    /// A name that contains neither the person's identity nor any part of a token.
    package let id: String
    /// The tokens of the grant. Its own access token is not handed out; tokens for resources are in
    /// ``Credential/tokens``.
    package var credential: Credential
    /// Whether the tokens are not stored yet and keep the number of the stored ones.
    private var isUnstored = false

    package init(id: String, _ credential: Credential) { (self.id, self.credential) = (id, credential) }

    /// Keeps the number of the stored tokens for tokens that are not stored yet, so that processes that read the former
    /// ones find a note about the new ones.
    mutating func keepNumber(_ number: UInt64) { (isUnstored, credential.tokensSince) = (true, number) }

    /// The grant in the form in which the next write stores it.
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

    /// Decodes a stored grant; `nil` when that fails, in which case the person is asked again.
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
    /// The session's first grant without the others, followed by each further grant.
    var grantsApart: [Credential] {
        guard !grants.isEmpty else { return [self] }
        var first = self
        first.grants = []
        return [first] + grants.map(\.credential)
    }

    /// The tokens for resources of all grants, except those that came with an unverified ID token.
    var allTokens: [ResourceToken] {
        grants.isEmpty
            ? tokens : tokens + grants.flatMap { $0.credential.isWithheld ? [] : $0.credential.tokens }
    }

    /// Time when the last token for a resource expires; for a token without expiry, when it was issued.
    var lastUseOfResource: Date { allTokens.map { $0.expiresAt ?? $0.issuedAt }.max() ?? .distantPast }

    /// Number of tokens for resources, in all grants.
    var resourceTokenCount: Int { grants.reduce(tokens.count) { $0 + $1.credential.tokens.count } }

    /// Removes the oldest token for a resource from the first grant that has one.
    mutating func dropOldestToken() {
        guard tokens.isEmpty else {
            tokens.removeFirst()
            return
        }
        let place = grants.firstIndex { !$0.credential.tokens.isEmpty }
        if let place { grants[place].credential.tokens.removeFirst() }
    }

    /// Identifier of the grant for `wish`: one that has a matching token, or else the newest refreshable one that was
    /// requested for the resource; `nil` for the first grant.
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

    /// Whether this authorization includes everything that `other` is for. An authorization that names no resource is
    /// for what its server chose, which no other one can be known to include.
    package func covers(_ other: Credential) -> Bool {
        !other.agreedResources.isEmpty && agreedResources.isSuperset(of: other.agreedResources)
            && GrantedScopes.suffice(agreedScopes ?? scopes, for: other.agreedScopes ?? other.scopes)
            && backend.hasBytes(of: other.backend)
    }

    /// Adds a further authorization. It replaces those that it covers, except for the first one.
    /// - Returns: the replaced authorizations.
    mutating func add(_ authorization: Credential) -> [Credential] {
        var added = authorization
        (added.profile, added.grants, added.sessionNumber) = (nil, [], nil)
        guard let token = added.refreshToken, token != refreshToken else {
            // An authorization without a refresh token, or with that of the session, extends the first grant (RFC 6749
            // section 6).
            for token in added.tokens { file(token) }
            let agreed = agreedScopes ?? scopes
            if !added.scopes.isSubset(of: agreed) { agreedScopes = agreed.union(added.scopes) }
            return []
        }
        // Keep the grant of an unchanged refresh token, and with it its note.
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

    /// The suspension of a session whose first grant has ended while others are still in use.
    init(ofEndedGrant reason: String, at now: Date) {
        self.init(Self.endedGrant, because: reason, retries: .never, at: now)
    }

    var isOfEndedGrant: Bool { kind == Self.endedGrant }
}

extension StoredSession {
    /// Whether a token of this grant may still be in use.
    func hasUsableToken(at now: Date) -> Bool {
        guard grant != nil else { return credential.isUsable(at: now) }
        return !credential.isWithheld && credential.tokens.contains { $0.life.isValid(at: now) }
    }

    /// The error of a suspended session, or, for a further grant, an error about its resource only.
    func error(of suspension: Suspension, _ account: AccountID, for key: TokenKey?) -> SessionError {
        guard grant != nil, let key else { return .suspended(account, suspension) }
        return .resourceNotGranted(
            account, resource: key.resource, reason: suspension.reason, nextAttempt: suspension.nextAttempt)
    }

    /// The error for a further grant that has ended.
    func error(ofEnd reason: String, _ account: AccountID, for key: TokenKey?) -> SessionError {
        guard let key else { return .refreshInProgress(account) }
        return .resourceNotGranted(
            account, resource: key.resource, reason: "Its authorization has ended. \(reason)", nextAttempt: nil)
    }
}
