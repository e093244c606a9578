import Foundation
import IdentityStoreFormat

/// The properties of the access token that a call asks for.
package struct TokenWish: Hashable, Sendable {
    /// Identifier of the resource that the token is for; `nil` for the session's own token.
    package let resource: String?
    /// The scopes that the token must have.
    package let scopes: Set<String>
    /// How the server issues tokens for resources.
    package let style: TokensByResource
    /// The tokens that a resource server has just refused, or that are not fresh enough.
    package var rejected: Set<Secret>
    /// Identifier of the further grant to which the token belongs; `nil` for the first grant.
    var grant: String?

    package init(
        _ resource: String?, scopes: Set<String> = [], by style: TokensByResource = .rfc8707,
        replacing rejected: Set<Secret> = []
    ) {
        (self.resource, self.scopes, self.style, self.rejected) = (resource, scopes, style, rejected)
    }

    /// The key under which the token is stored; `nil` for the session's own token, which also serves every resource if
    /// a session has only that token (``TokensByResource/none``).
    package var key: TokenKey? {
        guard style != .none, let resource else { return nil }
        return TokenKey(resource: resource, scopes: style.isByScopes ? scopes : [])
    }

    /// The best token by `isBetter(than:)` among the usable `tokens` that are for exactly this resource and have all
    /// the scopes; `nil` when there is none. Tokens that are rejected, expired or of unknown audience are not usable.
    fileprivate func best(of tokens: [ResourceToken], at now: Date) -> ResourceToken? {
        tokens.filter { isServed(by: $0, at: now) }.min { $0.isBetter(than: $1) }
    }

    private func isServed(by token: ResourceToken, at now: Date) -> Bool {
        token.key?.resource == resource && !token.isUnproven && token.life.isValid(at: now)
            && !rejected.contains(token.accessToken) && GrantedScopes.suffice(token.scopes, for: scopes)
    }
}

extension ResourceToken {
    /// Whether the token has fewer scopes than `other`, or equally many and a later expiry. A token without expiry
    /// counts as expiring last.
    func isBetter(than other: ResourceToken) -> Bool {
        guard scopes.count == other.scopes.count else { return scopes.count < other.scopes.count }
        return (expiresAt ?? .distantFuture) > (other.expiresAt ?? .distantFuture)
    }
}

/// The decision about which token of a session a call gets.
package enum TokenChoice: Equatable, Sendable {
    case use(ResourceToken)
    /// No token yet: a token for this key has to be requested from the server. The key is `nil` for the session's own
    /// token.
    case ask(TokenKey?)
    /// No token until the person has authorized these scopes.
    case stepUp(missing: Set<String>)
    /// No token, because the server refused the resource within the last hour.
    case refused(KeyRefusal)
}

extension Credential {
    /// The session's own access token, as a token without key and audience.
    package var ownToken: ResourceToken {
        ResourceToken(
            key: nil, accessToken: accessToken, tokenType: tokenType, scopes: scopes, issuedAt: issuedAt,
            expiresAt: expiresAt)
    }

    /// Decides which token a call with `wish` gets at `now`, without reading the store or sending a request.
    package func choice(for wish: TokenWish, at now: Date) -> TokenChoice {
        guard let key = wish.key else {
            guard GrantedScopes.suffice(scopes, for: wish.scopes) else {
                return .stepUp(missing: wish.scopes.subtracting(scopes))
            }
            return isUsable(at: now) && !wish.rejected.contains(accessToken) ? .use(ownToken) : .ask(nil)
        }
        // Do not hand out a token that came with an unverified ID token.
        guard pendingVerification == nil else { return .ask(key) }
        if let token = wish.best(of: tokens, at: now) { return .use(token) }
        if let refusal = refusals.first(where: { $0.key == key && $0.holds(at: now) }) { return .refused(refusal) }
        // A valid token for the key lacks scopes. Another request for the same key would return the same scopes.
        let given = tokens.first {
            $0.key == key && !$0.isUnproven && $0.life.isValid(at: now) && !wish.rejected.contains($0.accessToken)
        }
        if let given { return .stepUp(missing: wish.scopes.subtracting(given.scopes)) }
        let agreed = agreedScopes ?? scopes
        guard wish.style.isByScopes || GrantedScopes.suffice(agreed, for: wish.scopes) else {
            return .stepUp(missing: wish.scopes.subtracting(agreed))
        }
        return .ask(key)
    }
}
