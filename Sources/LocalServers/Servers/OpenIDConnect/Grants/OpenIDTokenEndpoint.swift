import Foundation
import IdentityKit

/// `POST /token` (RFC 6749 section 3.2)
struct OpenIDTokenEndpoint: OpenIDEndpoint {
    typealias GrantType = LocalOpenIDConnectServer.Client.GrantType

    func respond(to call: OpenIDCall) throws -> LocalResponse {
        let names = (call.request.form ?? []).map(\.name).filter { $0 != "resource" && $0 != "audience" }
        guard Set(names).count == names.count else {
            throw OpenIDFailure.oauth("invalid_request", "A parameter is repeated")
        }
        let client = try call.authenticatedClient()
        guard let grantType = GrantType(rawValue: try call.requiredField("grant_type")) else {
            throw OpenIDFailure.oauth("unsupported_grant_type", "The grant_type is not known")
        }
        guard client.grantTypes.contains(grantType) else {
            throw OpenIDFailure.oauth("unauthorized_client", "The client may not use this grant_type")
        }
        let key = try call.provenKey()
        guard key != nil || !client.requiresDPoP else {
            throw OpenIDFailure.oauth("invalid_dpop_proof", "A DPoP proof is required")
        }
        let handler: any OpenIDGrantHandler =
            switch grantType {
            case .authorizationCode: OpenIDCodeGrant()
            case .refreshToken: OpenIDRefreshGrant()
            case .clientCredentials: OpenIDClientCredentialsGrant()
            case .tokenExchange: OpenIDTokenExchangeGrant()
            case .deviceCode: OpenIDDeviceGrant()
            }
        let tokens = try handler.tokens(for: client, key: key, call)
        return .json(
            .object(try tokens.members(call)), headers: [("Cache-Control", "no-store"), ("Pragma", "no-cache")])
    }
}

/// One grant type of the token endpoint.
protocol OpenIDGrantHandler: Sendable {
    /// What the client gets.
    /// - Parameter key: the thumbprint of the key the tokens are bound to.
    /// - Throws: ``OpenIDFailure``
    func tokens(
        for client: LocalOpenIDConnectServer.Client, key: String?, _ call: OpenIDCall
    ) throws -> OpenIDTokens
}

/// What a grant comes to.
struct OpenIDTokens: Sendable {
    /// Which refresh token comes along.
    enum Refresh: Sendable {
        case none
        case first
        case successor(expiry: Date)
    }

    let grant: OpenIDGrant
    /// The scopes of the access token, when they are fewer than the grant's.
    var scopes: [String]?
    var refresh = Refresh.none
    /// Whether this is about an earlier sign-in (OpenID Connect Core section 12).
    var isRefreshed = false
    var hasIDToken = true
    /// Members of one grant alone.
    var additions: [String: JSONValue] = [:]

    /// The answer's members (RFC 6749 section 5.1).
    func members(_ call: OpenIDCall) throws -> [String: JSONValue] {
        let (backend, behaviour) = (call.backend, call.behaviour)
        let grant = behaviour.has(.bearerForDPoP) ? grant.bound(to: nil) : grant
        let scopes = behaviour.granted(self.scopes ?? grant.scopes)
        let accessToken = backend.tokens.issueAccessToken(for: grant, scopes: scopes)
        var members = additions
        members["access_token"] = .string(accessToken)
        members["token_type"] = grant.keyThumbprint == nil ? "Bearer" : "DPoP"
        members["expires_in"] = .integer(Int64(backend.configuration.accessTokenLifetime.timeInterval))
        if !scopes.isEmpty { members["scope"] = .string(scopes.joined(separator: " ")) }
        switch refresh {
        case .none: break
        case .first: members["refresh_token"] = .string(backend.tokens.issueRefreshToken(for: grant))
        case .successor(let expiry):
            members["refresh_token"] = .string(backend.tokens.issueRefreshToken(for: grant, expiry: expiry))
        }
        if hasIDToken, scopes.contains("openid") {
            let token = try OpenIDIDTokens(backend: backend, behaviour: behaviour)
                .token(for: grant, accessToken: accessToken, isRefreshed: isRefreshed)
            members["id_token"] = .string(token)
            backend.tokens.noteIDToken(for: grant)
        }
        behaviour.spoil(&members, isRefreshed: isRefreshed)
        return members
    }
}

extension OpenIDCall {
    /// The scopes of a request that no person sees.
    func requestedScopes() throws -> [String] {
        let scopes = (field("scope") ?? "").split(separator: " ").map(String.init)
        guard scopes.allSatisfy(backend.configuration.scopes.contains) else {
            throw OpenIDFailure.oauth("invalid_scope", "A scope is not known")
        }
        return scopes
    }
}
