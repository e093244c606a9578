import Foundation
import IdentityKit

/// Parameters of a refresh for one resource, and the checks of its response.
extension TokensByResource {
    /// The parameters of a refresh for `key`, in addition to the grant.
    /// - Parameter others: the parameters of every token request; a resource among them is that of the session's own token.
    func parameters(for key: TokenKey, beside others: [FormField]) -> [FormField] {
        let rest = others.filter { $0.name != "resource" && $0.name != "audience" }
        return switch self {
        case .rfc8707, .opaque: rest + [FormField("resource", key.resource)]
        case .auth0: rest + [FormField("audience", key.resource)]
        // Microsoft refuses the parameter with scopes that name the resource (AADSTS9010010).
        case .entra, .okta, .none: rest
        }
    }

    /// The options of an authorization for one resource alone, without those that the session's first authorization names.
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

    /// The scopes to name in a refresh for `key`; `nil` to leave them to the server, because some servers narrow the
    /// next refresh token permanently to the scopes named.
    func scopes(for key: TokenKey, of credential: Credential) -> [String]? {
        guard isByScopes else { return nil }
        let agreed = credential.agreedScopes ?? credential.scopes
        let qualified = key.scopes.sorted().map { key.qualified($0) }
        return (qualified.isEmpty ? [key.qualified(".default")] : qualified)
            + ["openid", "offline_access"].filter(agreed.contains)
    }

    /// Whether a token is for the resource and scopes of `key`.
    /// - Parameters:
    ///   - audience: the audience that the token states; `nil` if it states none.
    ///   - scopes: the scopes of the response.
    fileprivate func isAnswer(to key: TokenKey, _ audience: [String]?, scopes: Set<String>) -> Bool {
        switch self {
        case .rfc8707, .auth0: audience?.contains { $0.hasBytes(of: key.resource) } ?? false
        case .opaque: audience?.contains { $0.hasBytes(of: key.resource) } ?? true
        // Tokens for Microsoft's own resources are encrypted, or name the resource by a GUID.
        case .entra:
            audience?.contains { $0.hasBytes(of: key.resource) } ?? false
                || scopes.contains { $0.hasPrefix(key.qualified("")) }
        case .okta, .none: false
        }
    }
}

extension TokenKey {
    /// A scope prefixed with its resource, as Microsoft Entra ID writes it.
    func qualified(_ scope: String) -> String {
        scope.contains("://") ? scope : resource + (resource.hasSuffix("/") ? "" : "/") + scope
    }
}

extension TokenSet {
    /// The session `credential` with tokens that were requested for `wish`: the new refresh token, and the access token
    /// beside the session's own. A token for another resource is stored under that one, and the requested resource
    /// counts as refused, so that it gets no token.
    /// - Parameter isProvable: whether the server can tell what a token is for.
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
    /// The token for `key`. Microsoft writes the scopes of some resources without the resource, and those of others
    /// with it, so a requested scope also counts as granted if the response has its qualified form.
    fileprivate func token(for key: TokenKey, _ received: ResourceToken, isUnproven: Bool) -> ResourceToken {
        let scopes =
            isByScopes
            ? received.scopes.union(key.scopes.filter { received.scopes.contains(key.qualified($0)) }) : received.scopes
        return ResourceToken(
            key: key, accessToken: received.accessToken, tokenType: received.tokenType, scopes: scopes,
            issuedAt: received.issuedAt, expiresAt: received.expiresAt, isUnproven: isUnproven)
    }

    /// A new authorization for one resource, with its token as the one of `key`; `nil` if the token is for something
    /// else, or its audience is unknown.
    /// - Parameter isProvable: whether the server can tell what a token is for.
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

    /// The access token that arrived together with the ID token of `pending`.
    func accessToken(with pending: PendingVerification) -> Secret {
        tokens.last { $0.issuedAt == pending.receivedAt }?.accessToken ?? accessToken
    }
}
