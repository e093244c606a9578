import Foundation
import IdentityStoreFormat

/// The token that a call wants: its resource, scopes and style.
package struct TokenWish: Hashable, Sendable {
    /// The resource; `nil` for the session's own token, never for any.
    package let resource: String?
    /// The scopes that the token must have.
    package let scopes: Set<String>
    /// How the server issues tokens for resources.
    package let style: TokensByResource
    /// A token that a resource server has just refused.
    package var rejected: Secret?
    /// The further grant that the token is of; `nil` for the first.
    var grant: String?

    package init(
        _ resource: String?, scopes: Set<String> = [], by style: TokensByResource = .rfc8707,
        replacing rejected: Secret? = nil
    ) {
        (self.resource, self.scopes, self.style, self.rejected) = (resource, scopes, style, rejected)
    }

    /// The key under which the token is filed; `nil` for the session's own.
    package var key: TokenKey? {
        guard style != .none, let resource else { return nil }
        return TokenKey(resource: resource, scopes: style.isByScopes ? scopes : [])
    }

    /// The best of `tokens`, of those for exactly the resource with all the scopes.
    fileprivate func best(of tokens: [ResourceToken], at now: Date) -> ResourceToken? {
        tokens.filter { isServed(by: $0, at: now) }.min { $0.isBetter(than: $1) }
    }

    private func isServed(by token: ResourceToken, at now: Date) -> Bool {
        token.key?.resource == resource && !token.isUnproven && token.life.isValid(at: now)
            && token.accessToken != rejected && GrantedScopes.suffice(token.scopes, for: scopes)
    }
}

extension ResourceToken {
    /// Whether it has fewer scopes than `other`, or as many and lasts longer.
    func isBetter(than other: ResourceToken) -> Bool {
        guard scopes.count == other.scopes.count else { return scopes.count < other.scopes.count }
        return (expiresAt ?? .distantFuture) > (other.expiresAt ?? .distantFuture)
    }
}

/// Which token of a session a call gets.
package enum TokenChoice: Equatable, Sendable {
    case use(ResourceToken)
    /// A token that the server is asked for, by the key; `nil` for the session's own.
    case ask(TokenKey?)
    /// None before the person has authorized these scopes.
    case stepUp(missing: Set<String>)
    /// None, because the server has just refused the resource.
    case refused(KeyRefusal)
}

extension Credential {
    /// The session's own token.
    package var ownToken: ResourceToken {
        ResourceToken(
            key: nil, accessToken: accessToken, tokenType: tokenType, scopes: scopes, issuedAt: issuedAt,
            expiresAt: expiresAt)
    }

    /// Which token `wish` gets at `now`. Nothing is read, and nothing is sent.
    package func choice(for wish: TokenWish, at now: Date) -> TokenChoice {
        guard let key = wish.key else {
            guard GrantedScopes.suffice(scopes, for: wish.scopes) else {
                return .stepUp(missing: wish.scopes.subtracting(scopes))
            }
            return isUsable(at: now) && accessToken != wish.rejected ? .use(ownToken) : .ask(nil)
        }
        // A token that came with an unverified ID token is not handed out.
        guard pendingVerification == nil else { return .ask(key) }
        if let token = wish.best(of: tokens, at: now) { return .use(token) }
        if let refusal = refusals.first(where: { $0.key == key && $0.holds(at: now) }) { return .refused(refusal) }
        // Asked for again in the same way, the server would give the same scopes.
        let given = tokens.first {
            $0.key == key && !$0.isUnproven && $0.life.isValid(at: now) && $0.accessToken != wish.rejected
        }
        if let given { return .stepUp(missing: wish.scopes.subtracting(given.scopes)) }
        let agreed = agreedScopes ?? scopes
        guard wish.style.isByScopes || GrantedScopes.suffice(agreed, for: wish.scopes) else {
            return .stepUp(missing: wish.scopes.subtracting(agreed))
        }
        return .ask(key)
    }
}
