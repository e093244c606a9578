import Foundation
import IdentityStoreFormat

/// The resource that an access token is for, and the requested scopes if the server issues a token for each set of scopes. The
/// session's own token, which is requested without a resource, has no key.
package struct TokenKey: Hashable, Sendable {
    /// Identifier of the resource (RFC 8707 section 2), exactly as the resource's metadata spells it. It is ASCII, so
    /// that equal strings have equal bytes.
    package let resource: String
    /// The requested scopes, if the server issues a token for each set of scopes; otherwise empty.
    package let scopes: Set<String>

    package init(resource: String, scopes: Set<String> = []) {
        (self.resource, self.scopes) = (resource, scopes)
    }
}

/// An access token of a session, either for one resource or the session's own.
package struct ResourceToken: Equatable, Sendable {
    /// The resource and scopes that the token is for; `nil` for the session's own token.
    package let key: TokenKey?
    package let accessToken: Secret
    package let tokenType: String
    package let scopes: Set<String>
    /// The recipients of the token, as the token or the server names them; empty when they are unknown.
    package let audience: [String]
    /// When the token was issued, by this machine's clock.
    package let issuedAt: Date
    /// When the token expires, by this machine's clock; `nil` when that is unknown.
    package let expiresAt: Date?
    /// Whether the server still has to be asked for the token's audience. Until then the token is not handed out.
    package let isUnproven: Bool

    package init(
        key: TokenKey?, accessToken: Secret, tokenType: String = "Bearer", scopes: Set<String> = [],
        audience: [String] = [], issuedAt: Date, expiresAt: Date?, isUnproven: Bool = false
    ) {
        (self.key, self.accessToken, self.tokenType) = (key, accessToken, tokenType)
        self.isUnproven = isUnproven
        (self.scopes, self.audience) = (scopes, audience)
        (self.issuedAt, self.expiresAt) = (issuedAt, expiresAt)
    }

    /// A copy for `key` with the recipients `audience`. The copy may be handed out: its ``isUnproven`` is `false`.
    fileprivate func proven(for key: TokenKey, _ audience: [String]) -> ResourceToken {
        ResourceToken(
            key: key, accessToken: accessToken, tokenType: tokenType, scopes: scopes, audience: audience,
            issuedAt: issuedAt, expiresAt: expiresAt)
    }

    /// Lifetime of the token. It counts as refreshable, because a refresh token can request another token.
    package var life: TokenLifetime { TokenLifetime(issuedAt: issuedAt, expiresAt: expiresAt, isRefreshable: true) }
}

/// A server's refusal to issue a token for a resource.
package struct KeyRefusal: Equatable, Sendable {
    package let key: TokenKey
    /// The reason, in words for a person.
    package let reason: String
    /// When the server refused, by this machine's clock.
    package let since: Date

    /// The time in seconds after a refusal during which the server is not asked for this key.
    package static let length: TimeInterval = 3600

    package init(key: TokenKey, reason: String, since: Date) {
        (self.key, self.reason, self.since) = (key, reason, since)
    }

    /// Time from which the server may be asked again.
    var end: Date { since + Self.length }

    /// Whether the server is not to be asked at `now`. A refusal in the future is ignored, because the clock must have
    /// been set back.
    func holds(at now: Date) -> Bool { since <= now && now < end }
}

extension Credential {
    /// The largest number of tokens for resources in one credential, and the largest number of its refusals.
    package static let mostKeys = 16

    /// Adds `token` in place of an earlier one with the same key, and removes a refusal of that key.
    package mutating func file(_ token: ResourceToken) {
        tokens.removeAll { $0.key == token.key }
        tokens.append(token)
        refusals.removeAll { $0.key == token.key }
    }

    /// Stores `token` after its audience was examined, in place of a copy that is stored already:
    /// - A token for the requested resource is added under the requested key.
    /// - A token for exactly one other resource is added under that resource, and the requested key is refused.
    /// - Any other token is removed, and the requested key is refused.
    ///
    /// A token without a key, which is the session's own, is ignored.
    /// - Parameters:
    ///   - audience: the resources that the token is for; `nil` when they are unknown.
    ///   - isAnswer: whether the token is for the requested resource. With some servers, this is known even if `audience` is
    ///     `nil`.
    package mutating func file(_ token: ResourceToken, for audience: [String]?, isAnswer: Bool, at now: Date) {
        guard let key = token.key else { return }
        tokens.removeAll { $0.accessToken == token.accessToken }
        guard !isAnswer else { return file(token.proven(for: key, audience ?? [])) }
        if let other = audience, other.count == 1, other[0].isResource {
            file(token.proven(for: TokenKey(resource: other[0]), other))
        }
        let found = audience.map { "for \($0.joined(separator: ", "))" } ?? "one that does not say what it is for"
        refuse(KeyRefusal(key: key, reason: "The server's token is \(found).\(TokensByResource.advice)", since: now))
    }

    /// Adds `refusal` in place of an earlier one with the same key. A token with this key stays in use.
    package mutating func refuse(_ refusal: KeyRefusal) {
        refusals.removeAll { $0.key == refusal.key }
        refusals.append(refusal)
    }

    /// Removes expired tokens and refusals. Of the rest, keeps the newest of each, up to ``mostKeys``, even if older tokens
    /// are in use.
    mutating func dropOldTokens(at now: Date) {
        tokens.removeAll { !$0.life.isValid(at: now) }
        refusals.removeAll { !$0.holds(at: now) }
        tokens = Array(tokens.suffix(Self.mostKeys))
        refusals = Array(refusals.suffix(Self.mostKeys))
    }
}

// MARK: In the record

extension ResourceToken {
    /// Decodes a stored token; `nil` when it is malformed. Another token can then be requested.
    init?(stored: JSONValue) {
        guard case .object(let content) = stored else { return nil }
        var members = JSONMembers(content)
        do throws(JSONMembers.Defect) {
            guard let key = TokenKey(stored: try members.object("key")) else { return nil }
            self.init(
                key: key, accessToken: try members.token("accessToken"), tokenType: try members.text("tokenType"),
                scopes: Set(try members.texts("scopes")), audience: try members.texts("audience"),
                issuedAt: try members.date("issuedAt"), expiresAt: try members.dateIfPresent("expiresAt"),
                isUnproven: try members.countIfPresent("unproven") != nil)
        } catch {
            return nil
        }
    }

    var stored: JSONValue {
        var members: [String: JSONValue] = [
            "accessToken": .string(accessToken.reveal()), "tokenType": .string(tokenType),
            "scopes": .array(scopes.sorted().map(JSONValue.string)),
            "audience": .array(audience.map(JSONValue.string)),
            "issuedAt": .number(issuedAt.timeIntervalSinceReferenceDate),
        ]
        members["key"] = key?.stored
        if isUnproven { members["unproven"] = .integer(1) }
        members["expiresAt"] = expiresAt.map { .number($0.timeIntervalSinceReferenceDate) }
        return .object(members)
    }
}

extension KeyRefusal {
    /// Decodes a stored refusal; `nil` when it is malformed. The server is then asked again.
    init?(stored: JSONValue) {
        guard case .object(let content) = stored else { return nil }
        var members = JSONMembers(content)
        do throws(JSONMembers.Defect) {
            guard let key = TokenKey(stored: try members.object("key")) else { return nil }
            self.init(key: key, reason: try members.text("reason"), since: try members.date("since"))
        } catch {
            return nil
        }
    }

    var stored: JSONValue {
        .object([
            "key": key.stored, "reason": .string(reason), "since": .number(since.timeIntervalSinceReferenceDate),
        ])
    }
}

extension TokenKey {
    fileprivate init?(stored: [String: JSONValue]) {
        var members = JSONMembers(stored)
        do throws(JSONMembers.Defect) {
            let resource = try members.text("resource")
            guard resource.isResource else { return nil }
            self.init(resource: resource, scopes: Set(try members.texts("scopes")))
        } catch {
            return nil
        }
    }

    fileprivate var stored: JSONValue {
        .object(["resource": .string(resource), "scopes": .array(scopes.sorted().map(JSONValue.string))])
    }
}

extension String {
    /// Whether the text can identify a resource: 1 to 2048 characters of visible ASCII, without spaces.
    package var isResource: Bool { !isEmpty && utf8.count <= 2048 && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
