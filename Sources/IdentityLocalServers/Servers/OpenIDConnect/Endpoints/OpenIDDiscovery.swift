import IdentityKit

extension OpenIDCall {
    /// `GET /.well-known/openid-configuration`: returns the server's metadata (OpenID Connect Discovery section 4).
    func openIDConfiguration() throws -> LocalResponse {
        guard !behaviour.has(.onlyOAuthMetadata), !behaviour.has(.onlyOAuthMetadataBelowIssuer) else {
            throw OpenIDServerError.notFound
        }
        var members = OpenIDMetadata(self).members
        if behaviour.has(.endpointsOnlyInOAuthMetadata) {
            for name in OpenIDMetadata.oauthEndpoints { members[name] = nil }
        }
        return .json(.object(members))
    }

    /// `GET /.well-known/oauth-authorization-server`: returns the server's metadata (RFC 8414 section 3).
    func authorizationServerMetadata() throws -> LocalResponse {
        guard !behaviour.has(.onlyOpenIDConfiguration) else { throw OpenIDServerError.notFound }
        return .json(.object(OpenIDMetadata(self).members))
    }

    func keySet() throws -> LocalResponse {
        .json(try backend.keyRing.keySet(behaviour, of: backend.announcedIssuer(behaviour)))
    }
}

/// The server's metadata, with misbehaviours and variations applied (RFC 8414 section 2, OpenID Connect Discovery section
/// 3).
private struct OpenIDMetadata {
    static let oauthEndpoints = [
        "revocation_endpoint", "introspection_endpoint", "device_authorization_endpoint",
        "pushed_authorization_request_endpoint",
    ]

    private static let invalidEndpoints: [String: JSONValue] = [
        "end_session_endpoint": "", "introspection_endpoint": "/introspect", "device_authorization_endpoint": false,
        "userinfo_endpoint": "http://login.example.org/userinfo",
    ]

    private let call: OpenIDCall
    private let origin: String

    init(_ call: OpenIDCall) {
        self.call = call
        let isMoved = call.behaviour.has(.plainHTTPEndpoints)
        origin = isMoved ? "http://login.example.org" : call.backend.baseURL
    }

    var members: [String: JSONValue] {
        var members = endpoints.merging(capabilities) { $1 }
        if call.backend.configuration.allowsRegistration {
            members["registration_endpoint"] = endpoint(OpenIDEndpoints.registration)
        }
        if call.backend.configuration.announcesPushedRequests || call.backend.configuration.requiresPushedRequests {
            members["pushed_authorization_request_endpoint"] = endpoint(OpenIDEndpoints.pushedAuthorization)
        }
        if !call.backend.configuration.clientDocuments.isEmpty {
            members["client_id_metadata_document_supported"] = true
        }
        if call.behaviour.has(.invalidOptionalEndpoints) { members.merge(Self.invalidEndpoints) { $1 } }
        for misbehaviour in call.behaviour.misbehaviours { spoil(&members, misbehaviour) }
        return members
    }

    private var endpoints: [String: JSONValue] {
        [
            "issuer": .string(call.backend.announcedIssuer(call.behaviour)),
            "authorization_endpoint": endpoint(OpenIDEndpoints.authorization),
            "token_endpoint": endpoint(OpenIDEndpoints.token),
            "userinfo_endpoint": endpoint(OpenIDEndpoints.userInfo),
            "jwks_uri": endpoint(OpenIDEndpoints.keySet),
            "end_session_endpoint": endpoint(OpenIDEndpoints.endSession),
            "revocation_endpoint": endpoint(OpenIDEndpoints.revocation),
            "introspection_endpoint": endpoint(OpenIDEndpoints.introspection),
            "device_authorization_endpoint": endpoint(OpenIDEndpoints.deviceAuthorization),
        ]
    }

    private var capabilities: [String: JSONValue] {
        let configuration = call.backend.configuration
        let algorithms = LocalOpenIDConnectServer.SigningAlgorithm.allCases.map { JSONValue.string($0.rawValue) }
        let name = JSONValue.string(call.backend.keyRing.name(call.behaviour))
        let grants = LocalOpenIDConnectServer.Client.GrantType.allCases.map { JSONValue.string($0.rawValue) }
        return [
            "scopes_supported": .array(configuration.scopes.map(JSONValue.string)),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query", "form_post"],
            "grant_types_supported": .array(grants),
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [name],
            "userinfo_signing_alg_values_supported": [name],
            "token_endpoint_auth_methods_supported": [
                "none", "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt",
            ],
            "token_endpoint_auth_signing_alg_values_supported": .array(algorithms + ["HS256"]),
            "dpop_signing_alg_values_supported": .array(algorithms),
            "code_challenge_methods_supported": call.behaviour.has(.noCodeChallenge) ? [] : ["S256"],
            "prompt_values_supported": ["none", "login", "consent", "select_account"],
            "claims_supported": ["sub", "iss", "aud", "exp", "iat", "auth_time", "name", "email", "email_verified"],
            "authorization_response_iss_parameter_supported": .bool(!call.behaviour.has(.tenantIssuers)),
            "require_pushed_authorization_requests": .bool(configuration.requiresPushedRequests),
            "request_parameter_supported": true,
            "request_object_signing_alg_values_supported": .array(algorithms),
            "require_signed_request_object": .bool(configuration.requiresSignedRequests),
            "request_uri_parameter_supported": false,
        ]
    }

    private func endpoint(_ path: String) -> JSONValue { .string(origin + path) }

    private func spoil(_ members: inout [String: JSONValue], _ misbehaviour: LocalOpenIDConnectServer.Misbehaviour) {
        switch misbehaviour {
        case .wrongDiscoveryIssuer: members["issuer"] = .string(OpenIDBehaviour.foreignIssuer)
        case .missingDiscoveryIssuer: members["issuer"] = nil
        case .issuerWithTrailingSlash: members["issuer"] = .string(call.backend.issuer + "/")
        case .missingAuthorizationEndpoint: members["authorization_endpoint"] = nil
        case .missingTokenEndpoint: members["token_endpoint"] = nil
        case .missingKeySetAddress: members["jwks_uri"] = nil
        default: break
        }
    }
}
