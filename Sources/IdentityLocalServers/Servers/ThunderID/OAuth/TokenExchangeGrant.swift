import IdentityKit

extension ThunderIDCall {
    private enum TokenType: String {
        case accessToken = "urn:ietf:params:oauth:token-type:access_token"
        case jwt = "urn:ietf:params:oauth:token-type:jwt"
        case idToken = "urn:ietf:params:oauth:token-type:id_token"
        case refreshToken = "urn:ietf:params:oauth:token-type:refresh_token"
    }

    /// Handles the grant `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693): issues an access token for an
    /// assertion or another valid token of this server. The response has neither a refresh token nor an ID token
    /// (Backends/ThunderID.md#token-endpoint).
    func tokenExchangeGrant(of application: LocalThunderIDServer.Application, key: String?) throws -> TokenMembers {
        let subject = try subjectToken(of: application)
        let requested = (request.formValue("scope") ?? "").split(separator: " ").map(String.init)
        guard requested.isEmpty || !subject.scopes.isEmpty else {
            throw ThunderIDServerError.oauth("invalid_scope", "The subject token has no scopes that could be asked for")
        }
        let resource = request.formValue("resource") ?? subject.resource
        guard resource == nil || backend.configuration.resourceServers.contains(where: { $0.identifier == resource })
        else {
            throw ThunderIDServerError.oauth(
                "invalid_target", "The resource parameter does not match any registered resource server")
        }
        let attributes = PersonSchema.attributes.compactMap { name in subject[name].map { (name, $0) } }
        let grant = TokenGrant(
            application: application, userID: subject.userID,
            // Scopes that the subject token does not have are left out.
            scopes: requested.isEmpty ? subject.scopes : requested.filter(subject.scopes.contains),
            grantType: .tokenExchange, attributes: Dictionary(attributes) { first, _ in first }, resource: resource,
            keyThumbprint: key)
        var members = try accessTokenMembers(grant)
        members["issued_token_type"] = .string(try requestedType().rawValue)
        return members
    }

    private func subjectToken(of application: LocalThunderIDServer.Application) throws -> VerifiedToken {
        let text = try requiredParameter("subject_token")
        guard let type = TokenType(rawValue: try requiredParameter("subject_token_type")) else {
            throw ThunderIDServerError.oauth("invalid_request", "Unsupported subject_token_type")
        }
        let tokens = backend.tokens
        guard let token = tokens.verified(text) else { throw invalidSubject }
        guard tokens.unexpired(text) != nil else {
            throw ThunderIDServerError.oauth("invalid_request", "The subject_token has expired")
        }
        guard backend.families.isStanding(token.id, ofFamily: token.familyID),
            type != .accessToken || token.isAccessToken,
            // Only the application that ran the flow can exchange the assertion of a sign-in.
            !token.isAssertion || token.string("aud") == application.id
        else { throw invalidSubject }
        return token
    }

    private func requestedType() throws -> TokenType {
        switch request.formValue("requested_token_type").map(TokenType.init(rawValue:)) {
        case nil, .some(.accessToken): return .accessToken
        case .some(.jwt): return .jwt
        default: throw ThunderIDServerError.oauth("invalid_request", "Unsupported requested_token_type")
        }
    }

    private var invalidSubject: ThunderIDServerError { .oauth("invalid_request", "Invalid subject_token") }

    private func requiredParameter(_ name: String) throws -> String {
        try required(name, "Missing required parameter: \(name)")
    }
}
