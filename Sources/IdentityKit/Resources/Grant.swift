import Foundation
import IdentityStoreFormat

/// An authorization of a session's person beside the first one, with a refresh token of its own, for servers that take one
/// resource in a request. The session's own token is of the first one.
///
/// Each has its note (``RefreshIntents``), so that a doubt about one stops no other. All are in one record, so that one lease
/// and one write are enough, and a sign-out ends them all.
package struct Grant: Equatable, Sendable, Encodable {
    /// The name, which names nobody and reveals no token.
    package let id: String
    /// The tokens. Its access token alone serves nobody: those for resources are in ``Credential/tokens``.
    package var credential: Credential
    /// Whether its tokens are in no record yet, and have the number of those that are.
    private var isUnstored = false

    package init(id: String, _ credential: Credential) { (self.id, self.credential) = (id, credential) }

    /// The grant with tokens that are in no record yet. A note of them has to be found by whoever reads the former ones.
    mutating func keepNumber(_ number: UInt64) { (isUnstored, credential.tokensSince) = (true, number) }

    /// The grant as the next write stores it.
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

    /// Reads a stored grant; `nil` for one that cannot be read: then the person is asked again.
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
    /// The first grant alone, then each further one.
    var grantsApart: [Credential] {
        guard !grants.isEmpty else { return [self] }
        var first = self
        first.grants = []
        return [first] + grants.map(\.credential)
    }

    /// The tokens for resources, of all grants, but those that came with an unverified ID token.
    var allTokens: [ResourceToken] {
        grants.isEmpty
            ? tokens : tokens + grants.flatMap { $0.credential.isWithheld ? [] : $0.credential.tokens }
    }

    /// When the last token for a resource expires, or was issued where it never does.
    var lastUseOfResource: Date { allTokens.map { $0.expiresAt ?? $0.issuedAt }.max() ?? .distantPast }

    /// How many tokens for resources there are.
    var resourceTokenCount: Int { grants.reduce(tokens.count) { $0 + $1.credential.tokens.count } }

    /// Drops the oldest token for a resource, of the first grant that has one.
    mutating func dropOldestToken() {
        guard tokens.isEmpty else {
            tokens.removeFirst()
            return
        }
        let place = grants.firstIndex { !$0.credential.tokens.isEmpty }
        if let place { grants[place].credential.tokens.removeFirst() }
    }

    /// The grant that `wish` is for: one with a token for it, or the newest that was asked for its resource and can be refreshed;
    /// `nil` for the first.
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

    /// Whether this authorization is for all that `other` is for. One that names no resource is for what its server chose,
    /// which another one cannot ask for.
    package func covers(_ other: Credential) -> Bool {
        !other.agreedResources.isEmpty && agreedResources.isSuperset(of: other.agreedResources)
            && GrantedScopes.suffice(agreedScopes ?? scopes, for: other.agreedScopes ?? other.scopes)
            && backend.hasBytes(of: other.backend)
    }

    /// Adds a further authorization of the person. It takes the place of those that it covers, but never of the first one.
    /// - Returns: those whose place it takes.
    mutating func add(_ authorization: Credential) -> [Credential] {
        var added = authorization
        (added.profile, added.grants, added.sessionNumber) = (nil, [], nil)
        guard let token = added.refreshToken, token != refreshToken else {
            // Without a refresh token of its own, or with the same one, it widens the first one (RFC 6749 section 6).
            for token in added.tokens { file(token) }
            let agreed = agreedScopes ?? scopes
            if !added.scopes.isSubset(of: agreed) { agreedScopes = agreed.union(added.scopes) }
            return []
        }
        // The note of a refresh token stays its note.
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
    /// Whether the server is asked.
    fileprivate var isAsking: Bool {
        if case .ask = self { true } else { false }
    }
}

extension Suspension {
    private static let endedGrant = "grant_ended"

    /// The suspension of a session whose first grant has ended while others live.
    init(ofEndedGrant reason: String, at now: Date) {
        self.init(Self.endedGrant, because: reason, retries: .never, at: now)
    }

    var isOfEndedGrant: Bool { kind == Self.endedGrant }
}

extension StoredSession {
    /// Whether a token of this grant may be in use.
    func hasUsableToken(at now: Date) -> Bool {
        guard grant != nil else { return credential.isUsable(at: now) }
        return !credential.isWithheld && credential.tokens.contains { $0.life.isValid(at: now) }
    }

    /// The error of a suspended session; of a further grant one about its resource alone.
    func error(of suspension: Suspension, _ account: AccountID, for key: TokenKey?) -> SessionError {
        guard grant != nil, let key else { return .suspended(account, suspension) }
        return .resourceNotGranted(
            account, resource: key.resource, reason: suspension.reason, nextAttempt: suspension.nextAttempt)
    }

    /// The error of a further grant that has ended.
    func error(ofEnd reason: String, _ account: AccountID, for key: TokenKey?) -> SessionError {
        guard let key else { return .refreshInProgress(account) }
        return .resourceNotGranted(
            account, resource: key.resource, reason: "Its authorization has ended. \(reason)", nextAttempt: nil)
    }
}
