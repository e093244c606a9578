import Foundation
import IdentityKit

extension OpenIDCall {
    /// `POST /token`: issues tokens (RFC 6749 section 3.2). The journal records each success and each refusal, except for
    /// `authorization_pending` and `slow_down`, which are normal while a device polls.
    func token() throws -> LocalResponse {
        do {
            let tokens = try grantedTokens()
            let response = LocalResponse.uncachedJSON(.object(try members(of: tokens)))
            backend.journal.note(
                tokens.isRefreshed ? .refreshed : .issued, at: backend.time.now, client: tokens.grant.clientID,
                person: tokens.grant.subject)
            return response
        } catch let failure as OpenIDServerError {
            noteRefusal(RefusalReason.text(of: failure.response(OpenIDBehaviour())))
            throw failure
        }
    }

    private func noteRefusal(_ reason: String?) {
        guard !RefusalReason.asksToPollAgain(reason) else { return }
        backend.journal.note(
            .refused, at: backend.time.now, client: field("client_id") ?? request.basicCredentials?.clientID,
            reason: reason)
    }

    private func grantedTokens() throws -> OpenIDTokens {
        let names = (request.form ?? []).map(\.name).filter { $0 != "resource" && $0 != "audience" }
        guard Set(names).count == names.count else {
            throw OpenIDServerError.oauth("invalid_request", "A parameter is repeated")
        }
        let client = try assertingClient() ?? authenticatedClient()
        guard let grantType = LocalOpenIDConnectServer.Client.GrantType(rawValue: try requiredField("grant_type"))
        else { throw OpenIDServerError.oauth("unsupported_grant_type", "The grant_type is not known") }
        guard client.grantTypes.contains(grantType) else {
            throw OpenIDServerError.oauth("unauthorized_client", "The client may not use this grant_type")
        }
        let key = try provenKey()
        guard key != nil || !client.requiresDPoP else {
            throw OpenIDServerError.oauth("invalid_dpop_proof", "A DPoP proof is required")
        }
        return switch grantType {
        case .authorizationCode: try codeGrant(of: client, key: key)
        case .refreshToken: try refreshGrant(of: client, key: key)
        case .clientCredentials: try clientCredentialsGrant(of: client, key: key)
        case .jwtBearer: try jwtBearerGrant(of: client, key: key)
        case .tokenExchange: try tokenExchangeGrant(of: client, key: key)
        case .deviceCode: try deviceGrant(of: client, key: key)
        }
    }

    /// Issues the tokens, and returns the members of the token response (RFC 6749 section 5.1).
    private func members(of tokens: OpenIDTokens) throws -> [String: JSONValue] {
        let grant = behaviour.has(.bearerForDPoP) ? tokens.grant.bound(to: nil) : tokens.grant
        let scopes = behaviour.granted(tokens.scopes ?? grant.scopes)
        let accessToken = backend.tokens.issueAccessToken(for: grant, scopes: scopes, audience: tokens.audience)
        var members = tokens.additions
        members["access_token"] = .string(accessToken)
        members["token_type"] = grant.keyThumbprint == nil ? "Bearer" : "DPoP"
        members["expires_in"] = .integer(Int64(backend.configuration.accessTokenLifetime.timeInterval))
        if !scopes.isEmpty { members["scope"] = .string(scopes.joined(separator: " ")) }
        switch tokens.refresh {
        case .none: break
        case .first: members["refresh_token"] = .string(backend.tokens.issueRefreshToken(for: grant))
        case .successor(let expiry):
            members["refresh_token"] = .string(backend.tokens.issueRefreshToken(for: grant, expiry: expiry))
        }
        if tokens.hasIDToken, scopes.contains("openid") {
            let token = try OpenIDIDTokens(backend: backend, behaviour: behaviour)
                .token(for: grant, accessToken: accessToken, isRefreshed: tokens.isRefreshed)
            members["id_token"] = .string(token)
            backend.tokens.noteIDToken(for: grant)
        }
        if behaviour.has(.refreshTokenLifetime), members["refresh_token"] != nil {
            let end = backend.time.now + backend.configuration.refreshTokenLifetime.timeInterval
            let expiry = if case .successor(let expiry) = tokens.refresh { expiry } else { end }
            members["refresh_token_expires_in"] = .integer(Int64(expiry.timeIntervalSince(backend.time.now)))
        }
        if behaviour.has(.ownerInTokens) {
            members["owner"] = ["user": ["id": .string(grant.subject), "name": .string(name(of: grant.subject))]]
        }
        behaviour.spoil(&members, isRefreshed: tokens.isRefreshed, at: backend.time.now)
        return members
    }

    private func name(of subject: String) -> String { backend.user(subject)?.username ?? subject }

    /// The words in the parameter `scope`; empty without the parameter. A word is a scope. If the configuration's
    /// `resourceIndicators` is `beforeScopes`, a word can also be a resource followed by a scope.
    var requestedWords: [String] {
        (field("scope") ?? "").split(separator: behaviour.scopeSeparator).map(String.init)
    }

    /// The values of the parameter `resource`, which may occur more than once (RFC 8707 section 2).
    var requestedResources: [String] { (request.form ?? []).filter { $0.name == "resource" }.map(\.value) }

    /// Returns the scopes in the parameter `scope`, without the words that begin with a resource.
    /// - Throws: ``OpenIDServerError`` if a scope is not in the configuration.
    func requestedScopes() throws -> [String] {
        let scopes = requestedWords.filter { resource(before: $0) == nil }
        guard scopes.allSatisfy(backend.configuration.scopes.contains) else {
            throw OpenIDServerError.oauth("invalid_scope", "A scope is not known")
        }
        return scopes
    }
}

struct OpenIDTokens: Sendable {
    /// Whether a refresh token is issued, and whether it is the first of the sign-in or a successor.
    enum Refresh: Sendable {
        case none
        case first
        case successor(expiry: Date)
    }

    let grant: OpenIDGrant
    /// The scopes of the access token; `nil` for those of the grant.
    var scopes: [String]?
    var refresh = Refresh.none
    /// The resource that becomes the access token's audience; `nil` for none.
    var audience: String?
    /// Whether the client exchanged a refresh token for the tokens (OpenID Connect Core section 12).
    var isRefreshed = false
    var hasIDToken = true
    /// Members of the token response that only some grant types have, such as `issued_token_type` of a token exchange.
    var additions: [String: JSONValue] = [:]
}
