import Foundation
import IdentityKit

/// The parameters of token requests for one resource, and the check that the received token is for it.
extension TokensByResource {
    /// Returns the additional parameters of a token request, such as a refresh, for the resource in `key`.
    /// - Parameter others: the parameters of every token request. A `resource` or `audience` among them is left out, because it
    ///   is meant for the session's own token.
    func parameters(for key: TokenKey, beside others: [FormField]) -> [FormField] {
        let rest = others.filter { $0.name != "resource" && $0.name != "audience" }
        return switch self {
        case .rfc8707, .opaque: rest + [FormField("resource", key.resource)]
        case .auth0: rest + [FormField("audience", key.resource)]
        // Microsoft refuses `resource` beside scopes that name the resource (AADSTS9010010).
        case .entra, .okta, .none: rest
        }
    }

    /// Returns the options of an authorization for `resource` alone, in addition to the session's first authorization. The
    /// resources and the audience in `options` are left out, because the first authorization is for them.
    func options(_ options: AuthorizationOptions, apartFor resource: String) -> AuthorizationOptions {
        var apart = options
        (apart.resources, apart.audience) = ([], nil)
        switch self {
        case .rfc8707, .opaque: apart.resources = [resource]
        case .auth0: apart.audience = resource
        case .entra, .okta, .none: break
        }
        return apart
    }

    /// Whether an authorization request can name several resources.
    var takesSeveral: Bool { self == .rfc8707 || self == .opaque }

    /// Returns the scopes to name in a refresh for `key`, if the server issues a token for each set of scopes. They are the
    /// scopes of `key`, or `.default` if `key` has none, each with the resource as prefix. `openid` and `offline_access` are
    /// added if the session has them.
    /// - Returns: `nil` for any other server, so that the request names no scopes. Some servers would narrow the next refresh
    ///   token permanently to the named scopes.
    func scopes(for key: TokenKey, of credential: Credential) -> [String]? {
        guard isByScopes else { return nil }
        let agreed = credential.agreedScopes ?? credential.scopes
        let qualified = key.scopes.sorted().map { key.qualified($0) }
        return (qualified.isEmpty ? [key.qualified(".default")] : qualified)
            + ["openid", "offline_access"].filter(agreed.contains)
    }

    /// Whether a token is for the resource of `key`.
    /// - Parameters:
    ///   - audience: the `aud` of the token; `nil` if the token is no JWT or has no `aud`.
    ///   - scopes: the scopes of the response.
    fileprivate func isAnswer(to key: TokenKey, _ audience: [String]?, scopes: Set<String>) -> Bool {
        switch self {
        case .rfc8707, .auth0: audience?.contains { $0.hasBytes(of: key.resource) } ?? false
        case .opaque: audience?.contains { $0.hasBytes(of: key.resource) } ?? true
        // Tokens for Microsoft's own resources are encrypted, or name the resource by a GUID. Then the scopes decide.
        case .entra:
            audience?.contains { $0.hasBytes(of: key.resource) } ?? false
                || scopes.contains { $0.hasPrefix(key.qualified("")) }
        case .okta, .none: false
        }
    }
}

extension TokenKey {
    /// Returns a scope prefixed with the resource, as Microsoft Entra ID writes it; unchanged if it is a URL already.
    func qualified(_ scope: String) -> String {
        scope.contains("://") ? scope : resource + (resource.hasSuffix("/") ? "" : "/") + scope
    }
}

extension TokenSet {
    /// Returns `credential` updated with this response to a refresh.
    ///
    /// If the refresh was for the session's own access token, the received token replaces it. If the refresh was for a
    /// resource, the session's own token stays, and the first of these rules that applies decides about the received token:
    ///
    /// - A token for the requested resource is stored under `wish.key`. Some servers write no audience into their tokens; for
    ///   these, the style of the request or the scopes of the token show that the token is for the requested resource.
    /// - A token of unknown audience is stored as unproven if `isProvable` is `true`. An unproven token is not used before the
    ///   server has been asked for its audience.
    /// - A token for exactly one other resource is stored under that resource, and `wish.key` is marked as refused.
    /// - Any other token is dropped, and `wish.key` is marked as refused.
    ///
    /// The server is not asked again within an hour for a key that is marked as refused.
    /// - Parameters:
    ///   - credential: the session before the refresh.
    ///   - wish: the requested resource and scopes; `nil`, or without a key, for the session's own token.
    ///   - isProvable: whether the server has an introspection endpoint, which may return the audience of a token without
    ///     `aud`.
    func refreshing(_ credential: Credential, for wish: TokenWish?, isProvable: Bool) -> Credential {
        var next = refreshing(credential)
        guard let wish, let key = wish.key else { return next }
        let audience = (try? JSONWebToken(response.accessToken))?.audience
        let received = next.ownToken
        next.takeOwnToken(of: credential)
        let isAnswer = wish.style.isAnswer(to: key, audience, scopes: received.scopes)
        let token = wish.style.token(for: key, received, isUnproven: isProvable && audience == nil && !isAnswer)
        if token.isUnproven {
            next.file(token)
        } else {
            next.file(token, for: audience, isAnswer: isAnswer, at: receivedAt)
        }
        return next
    }
}

extension TokensByResource {
    /// Returns the received access token as the token of `key`. Microsoft returns the scopes of some resources with the
    /// resource as prefix, so a requested scope also counts as granted if the response has the prefixed scope.
    fileprivate func token(for key: TokenKey, _ received: ResourceToken, isUnproven: Bool) -> ResourceToken {
        let scopes =
            isByScopes
            ? received.scopes.union(key.scopes.filter { received.scopes.contains(key.qualified($0)) }) : received.scopes
        return ResourceToken(
            key: key, accessToken: received.accessToken, tokenType: received.tokenType, scopes: scopes,
            issuedAt: received.issuedAt, expiresAt: received.expiresAt, isUnproven: isUnproven)
    }

    /// Returns a new authorization for one resource, with its access token stored under `key`.
    /// - Parameters:
    ///   - received: the authorization as it was received.
    ///   - key: the key of the requested resource.
    ///   - isProvable: whether the server has an introspection endpoint, which may return the audience of a token without
    ///     `aud`. Such a token is stored as unproven: it is not used before the server has been asked for its audience.
    /// - Returns: `nil` if the token is for another audience, or its audience is unknown and cannot be introspected.
    func authorization(_ received: Credential, apartFor key: TokenKey, isProvable: Bool) -> Credential? {
        let audience = (try? JSONWebToken(received.accessToken))?.audience
        let isAnswer = isAnswer(to: key, audience, scopes: received.scopes)
        let isUnproven = isProvable && audience == nil && !isAnswer
        guard isAnswer || isUnproven else { return nil }
        var apart = received
        apart.agreedResources = [key.resource]
        let token = token(for: key, received.ownToken, isUnproven: isUnproven)
        if isUnproven {
            apart.file(token)
        } else {
            apart.file(token, for: audience, isAnswer: true, at: received.issuedAt)
        }
        return apart
    }
}

extension Credential {
    fileprivate mutating func takeOwnToken(of other: Credential) {
        (accessToken, tokenType, scopes, details) = (other.accessToken, other.tokenType, other.scopes, other.details)
        (issuedAt, expiresAt) = (other.issuedAt, other.expiresAt)
    }

    /// Returns the access token that arrived together with the ID token of `pending`. The result is the token for a resource if
    /// one arrived at that time, or else the session's own access token.
    func accessToken(with pending: PendingVerification) -> Secret {
        tokens.last { $0.issuedAt == pending.receivedAt }?.accessToken ?? accessToken
    }
}
