import Foundation
import IdentityKit
import Testing

@testable import IdentityOAuth

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Specimens {
    private static let client = OAuthClient(id: "app", authentication: .clientSecretBasic(Planted.secret))

    private static func answer(_ members: [String: JSONValue]) throws -> (Data, HTTPURLResponse) {
        let url = try #require(URL(string: "https://id.example.com/token"))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "application/json"]))
        return (try JSONEncoder().encode(JSONValue.object(members)), response)
    }

    private static func url(_ path: String) throws -> URL {
        try #require(URL(string: "https://id.example.com/" + path))
    }

    static func oAuthKit() throws -> [Any] {
        try requests() + registrations() + answers() + tokens() + servers()
    }

    static func authorizationRequest() throws -> AuthorizationRequest {
        var request = try AuthorizationRequest(
            client: client, authorizationEndpoint: url("authorize"),
            redirectURI: #require(URL(string: "com.example.app:/callback?fixed=\(Planted.text)")), scopes: ["openid"])
        request.idTokenHint = Planted.secret
        request.extraParameters = [FormField("extra", Planted.text)]
        request.options = options
        return request
    }

    private static var options: AuthorizationOptions {
        var options = AuthorizationOptions()
        options.loginHint = Planted.text
        options.authorizationDetails = [["type": "payment", "token": .string(Planted.text)]]
        return options
    }

    private static func requests() throws -> [Any] {
        let request = try authorizationRequest()
        let authorization = try JSONDecoder().decode(
            DeviceAuthorization.self,
            from: Data(
                #"""
                {"deviceCode": "\#(Planted.text)", "userCode": "ABCD", "verificationURI": "https://id.example.com/device",
                "expiresAt": 0, "interval": 5, "scopes": []}
                """#.utf8))
        return [
            client, ClientAuthentication.clientSecretPost(Planted.secret), request, request.pending, options,
            request.pending.codeVerifier, FormField("password", Planted.text),
            MetadataPlace(try url("metadata?token=\(Planted.text)"), status: 404),
            PushedAuthorizationRequest(request, client: client, endpoint: try url("par")),
            PendingAuthorizations(store: store), authorization, DevicePolling(authorization, startedAt: date),
            DevicePolling.Step.wait(.seconds(5)), BackchannelHint.idToken(Planted.secret),
            BackchannelAuthorizationRequest(
                endpoint: try url("bc-authorize"), client: client, person: .login(Planted.text), scopes: ["openid"],
                bindingMessage: Planted.text),
            try JSONDecoder().decode(
                BackchannelAuthorization.self,
                from: Data(
                    #"{"requestID": "\#(Planted.text)", "expiresAt": 0, "interval": 5, "scopes": []}"#.utf8)),
            DeviceAuthorizationRequest(
                deviceAuthorizationEndpoint: try url("device"), client: client, scopes: ["openid"]),
            TokenRequest(
                try .refreshToken(Planted.secret), tokenEndpoint: try url("token"), client: client,
                extraParameters: [FormField("extra", Planted.text)]),
            TokenGrant.authorizationCode(Planted.secret, pending: request.pending),
            RevocationRequest(token: Planted.secret, revocationEndpoint: try url("revoke"), client: client),
            IntrospectionRequest(token: Planted.secret, introspectionEndpoint: try url("introspect"), client: client),
            UserInfoRequest(userinfoEndpoint: try url("userinfo"), accessToken: Planted.secret, client: client),
            try EndSessionRequest(
                client: client, endSessionEndpoint: url("end"), idTokenHint: Planted.secret,
                postLogoutRedirectURI: URL(string: "com.example.app:/end")),
        ]
    }

    private static func registrations() throws -> [Any] {
        var metadata = ClientMetadata(redirectURIs: [try #require(URL(string: "com.example.app:/callback"))])
        metadata.additionalMembers = ["software_statement": .string(Planted.text)]
        var registration = ClientRegistration(name: "App", initialAccessToken: Planted.secret)
        registration.additionalMembers = metadata.additionalMembers
        let request = ClientRegistrationRequest(
            endpoint: try url("register"), metadata: metadata, initialAccessToken: Planted.secret)
        let (data, head) = try answer([
            "client_id": "app", "client_secret": .string(Planted.text), "client_secret_expires_at": 0,
            "registration_access_token": .string(Planted.text),
            "registration_client_uri": .string("https://id.example.com/register?key=" + Planted.text),
        ])
        let registered = try request.client(from: data, head)
        let change = ClientConfigurationRequest.Action.update(metadata)
        return [
            metadata, registration, request, registered, change, ClientConfigurationRequest(change, registered),
        ]
    }

    private static func answers() throws -> [Any] {
        let callback = try #require(
            URL(
                string: "com.example.app:/callback?code=\(Planted.text)&state=\(Planted.text)&other=\(Planted.text)"
                    + "#later=\(Planted.text)"))
        let (data, head) = try answer(
            Planted.members.merging([
                "access_token": .string(Planted.text), "refresh_token": .string(Planted.text),
                "id_token": .string(Planted.token), "token_type": "Bearer",
            ]) { $1 })
        let response = try TokenEndpointResponse(data, head, for: .refreshToken(Planted.secret))
        let (introspection, introspectionHead) = try answer(Planted.members.merging(["active": true]) { $1 })
        return [
            try AuthorizationResponse(callbackURL: callback), try CallbackURL(callback), response,
            try IntrospectionResponse(introspection, introspectionHead),
            TokenSet(
                response: response, idToken: try idToken(), sentAt: date, receivedAt: date, proofKey: Planted.secret),
            try idToken(),
            try UserInfo(claims: Planted.members.merging(["sub": "ada"]) { $1 }, subject: "ada"),
            AuthenticationChallenge(scheme: "Bearer", parameters: ["error": "invalid_token"]),
            ErrorResponse(error: .invalidGrant, errorDescription: "No.", status: 400),
        ]
    }

    private static func idToken() throws -> IDToken {
        IDToken(
            encoded: Secret(Planted.token), claims: try JSONWebToken(Secret(Planted.token)).claims,
            issuer: "https://id.example.com", subject: "ada", person: "ada", audience: ["app"], issuedAt: date,
            expiresAt: date, authenticatedAt: nil)
    }

    private static func tokens() throws -> [Any] {
        let token = try JSONWebToken(Secret(Planted.token))
        var expectation = IDTokenExpectation()
        expectation.nonce = Planted.text
        expectation.accessToken = Planted.secret
        expectation.previous = token
        let key = try SigningKey()
        var members = key.publicKey.requiredMembers
        members["extra"] = .string(Planted.text)
        let publicKey = try JSONWebKey(members: members)
        return [
            token, token.message, expectation, key, publicKey, JSONWebKeySet([publicKey]), SignatureVerifier(),
            ClientAssertion(key: key, audience: "https://id.example.com"), DPoPProver(key: key), ClockOffset.none,
            ClientAuthentication.clientSecretJWT(
                ClientAssertion(secret: Planted.secret, audience: "https://id.example.com")),
            FinalRefusal(status: 400, error: "gone", description: "Gone."),
            IDTokenValidator(issuer: "https://id.example.com", clientID: "app"),
        ]
    }

    private static func servers() throws -> [Any] {
        let metadata = try AuthorizationServerMetadata(
            members: Planted.members.merging([
                "issuer": "https://id.example.com", "authorization_endpoint": "https://id.example.com/authorize",
                "token_endpoint": "https://id.example.com/token", "jwks_uri": "https://id.example.com/jwks",
            ]) { $1 })
        let party = RelyingParty(metadata: metadata, client: client, transport: DefaultTransport.make())
        let resource = try url("me?key=" + Planted.text)
        let described = try ProtectedResourceMetadata(
            members: Planted.members.merging([
                "resource": .string(resource.absoluteString), "authorization_servers": ["https://id.example.com"],
            ]) { $1 }, resource: resource)
        let members = AccountSource.ProfileMembers(displayName: "name")
        let account = AccountSource.request(
            resource, headers: ["X-Secret": Planted.text], identifier: "id", profile: members)
        var server = try OAuthServer(
            type: "acme", backend: "https://id.example.com", client: client, endpoints: [.token: url("token")],
            account: account)
        server.redirectURI = URL(string: "com.example.app:/callback?fixed=\(Planted.text)")
        server.postLogoutRedirectURI = server.redirectURI
        server.authorizationParameters = [FormField("extra", Planted.text)]
        server.tokenParameters = server.authorizationParameters
        let context = ProviderContext(name: "acme", environment: IdentityEnvironment(store: store))
        let grant = WorkloadGrant.signedJWT(claims: ["tenant": .string(Planted.text)])
        let source = WorkloadSource.server(server, grant)
        return [
            try TenantIssuer(template: "https://id.example.com/{tenant}", claim: "tid"),
            grant, source, NativeTokenGrant(vendor: "apple"), PlatformToken.variable("ID_TOKEN"),
            WorkloadProvider(source, context: context),
            metadata, party, OAuthConnection(server, in: context.environment), members, account, server,
            TokenResponseFormat(), RequestFormat(),
            described,
            OAuthSessionProvider(server, context: context),
            JWKSCache(jwksURI: try url("jwks"), transport: DefaultTransport.make()),
        ]
    }
}
