import IdentityKit

extension ThunderIDCall {
    func keySet() throws -> LocalResponse { .json(backend.keyRing.keySet) }

    /// `GET /.well-known/oauth-protected-resource`: returns the metadata of the real server's MCP endpoint (RFC 9728). This
    /// server has no such endpoint.
    func resourceMetadata() throws -> LocalResponse {
        .json(
            [
                "resource": .string(backend.baseURL + "/mcp"), "authorization_servers": [.string(backend.issuer)],
                "scopes_supported": ["system"],
            ], headers: [("Access-Control-Allow-Origin", "*")])
    }

    /// `GET /.well-known/oauth-authorization-server`: returns the OAuth metadata (RFC 8414).
    func authorizationServerMetadata() throws -> LocalResponse {
        .json(.object(Discovery(backend: backend).authorizationServer))
    }

    /// `GET /.well-known/openid-configuration`: returns the OAuth metadata together with that of OpenID Connect (OpenID
    /// Connect Discovery section 4).
    func openIDConfiguration() throws -> LocalResponse {
        let discovery = Discovery(backend: backend)
        return .json(.object(discovery.authorizationServer.merging(discovery.openID) { $1 }))
    }
}

/// The metadata of the real server, including features that this server does not have (Backends/ThunderID.md#discovery).
private struct Discovery {
    let backend: ThunderIDBackend

    /// An endpoint's address, which begins with the server's base address, even if the configured issuer differs.
    private func endpoint(_ path: String) -> JSONValue { .string(backend.baseURL + path) }

    var authorizationServer: [String: JSONValue] {
        var members = delivered
        if backend.configuration.requiresPushedRequests { members["require_pushed_authorization_requests"] = true }
        return members
    }

    private var delivered: [String: JSONValue] {
        [
            "issuer": .string(backend.issuer),
            "authorization_endpoint": endpoint("/oauth2/authorize"),
            "token_endpoint": endpoint("/oauth2/token"),
            "jwks_uri": endpoint("/oauth2/jwks"),
            "registration_endpoint": endpoint("/oauth2/dcr/register"),
            "revocation_endpoint": endpoint("/oauth2/revoke"),
            "introspection_endpoint": endpoint("/oauth2/introspect"),
            "pushed_authorization_request_endpoint": endpoint("/oauth2/par"),
            "backchannel_authentication_endpoint": endpoint("/oauth2/bc-authorize"),
            "backchannel_token_delivery_modes_supported": ["poll"],
            "backchannel_user_code_parameter_supported": false,
            "response_types_supported": ["code"],
            "grant_types_supported": [
                "client_credentials", "authorization_code", "refresh_token",
                "urn:ietf:params:oauth:grant-type:token-exchange", "urn:openid:params:grant-type:ciba",
                "urn:ietf:params:oauth:grant-type:jwt-bearer",
            ],
            "token_endpoint_auth_methods_supported": [
                "client_secret_basic", "client_secret_post", "private_key_jwt", "none",
            ],
            "token_endpoint_auth_signing_alg_values_supported": Self.signatureAlgorithms,
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "dpop_signing_alg_values_supported": Self.signatureAlgorithms,
            "authorization_grant_profiles_supported": ["urn:ietf:params:oauth:grant-profile:id-jag"],
        ]
    }

    var openID: [String: JSONValue] {
        [
            "userinfo_endpoint": endpoint("/oauth2/userinfo"),
            "end_session_endpoint": endpoint("/oauth2/logout"),
            "scopes_supported": .array(OpenIDScopes.all.map(JSONValue.string)),
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            "id_token_encryption_alg_values_supported": Self.keyEncryption,
            "id_token_encryption_enc_values_supported": Self.contentEncryption,
            "userinfo_signing_alg_values_supported": ["RS256", "ES256"],
            "userinfo_encryption_alg_values_supported": Self.keyEncryption,
            "userinfo_encryption_enc_values_supported": Self.contentEncryption,
            "claims_supported": [
                "sub", "iss", "aud", "exp", "iat", "auth_time", "name", "given_name", "family_name", "middle_name",
                "nickname", "preferred_username", "profile", "picture", "website", "gender", "birthdate", "zoneinfo",
                "locale", "updated_at", "email", "email_verified", "phone_number", "phone_number_verified",
                "address", "roles",
            ],
            "claims_parameter_supported": true,
        ]
    }

    private static let signatureAlgorithms: JSONValue = [
        "RS256", "RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA", "ML-DSA-44", "ML-DSA-65", "ML-DSA-87",
    ]
    private static let keyEncryption: JSONValue = [
        "RSA-OAEP", "RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW",
    ]
    private static let contentEncryption: JSONValue = [
        "A128CBC-HS256", "A192CBC-HS384", "A256CBC-HS512", "A128GCM", "A192GCM", "A256GCM",
    ]
}
