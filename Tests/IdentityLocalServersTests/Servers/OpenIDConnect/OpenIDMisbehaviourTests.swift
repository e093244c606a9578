import IdentityLocalServers
import Testing

/// Each misbehaviour breaks its rule and nothing else: the only facts of a session that change are the ones listed.
@Suite("OpenID Connect server: misbehaviour")
struct OpenIDMisbehaviourTests {
    typealias Misbehaviour = LocalOpenIDConnectServer.Misbehaviour

    @Test("A misbehaviour changes what it is named after and nothing else", arguments: Misbehaviour.allCases)
    func changesExactlyThat(misbehaviour: Misbehaviour) async throws {
        let expected = try #require(Self.changes[misbehaviour], "no row for \(misbehaviour)")
        let isSigned = Self.aboutSignedUserInfo.contains(misbehaviour)
        let good = try await (isSigned ? Self.conformingWithSignedUserInfo : Self.conforming).value
        let bad = try await OpenIDObservation.make { server in
            if isSigned { server.vary(.signedUserInfo) }
            server.misbehave(misbehaviour)
        }
        #expect(bad.differences(from: good) == expected)
    }

    @Test("A server that behaves again is like one that always behaved")
    func behavesAgain() async throws {
        let good = try await Self.conforming.value
        let reformed = try await OpenIDObservation.make { server in
            for misbehaviour in Misbehaviour.allCases { server.misbehave(misbehaviour) }
            for variation in LocalOpenIDConnectServer.Variation.allCases { server.vary(variation) }
            server.behave()
        }
        #expect(reformed.differences(from: good) == [])
    }

    private static let conforming = Task { try await OpenIDObservation.make() }
    private static let conformingWithSignedUserInfo = Task {
        try await OpenIDObservation.make { $0.vary(.signedUserInfo) }
    }

    private static let aboutSignedUserInfo: Set<Misbehaviour> = [
        .wrongUserInfoIssuer, .wrongUserInfoAudience, .badUserInfoSignature, .unsignedUserInfo,
    ]

    /// A fact of the first ID token and of the refreshed one.
    private static func both(_ names: String...) -> Set<String> {
        Set(names.flatMap { ["idToken.\($0)", "refreshedIDToken.\($0)"] })
    }

    /// A fact of both documents with metadata.
    private static func documents(_ names: String...) -> Set<String> {
        Set(names.flatMap { ["discovery.\($0)", "metadata.\($0)"] })
    }

    /// A fact of every answer of the token endpoint that is a success.
    private static func tokens(_ names: String...) -> Set<String> {
        Set(names.flatMap { ["token.\($0)", "refresh.\($0)", "service.\($0)"] })
    }

    /// A fact of the token endpoint's answers when nothing can be refreshed.
    private static func firstTokens(_ names: String...) -> Set<String> {
        Set(names.flatMap { ["token.\($0)", "service.\($0)"] })
    }

    private static let stages = [
        "discovery", "metadata", "keys", "token", "refresh", "service", "userInfo", "error", "challenge", "revocation",
        "device",
    ]

    private static let forms: Set = ["form.idToken", "form.refreshedIDToken"]

    /// Without the key, a token's `kid` names nothing and its signature proves nothing.
    private static let unprovable = both("header.kid", "signature")

    private static let metadataMembers: Set<String> = [
        "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "end_session_endpoint",
        "revocation_endpoint", "introspection_endpoint", "device_authorization_endpoint",
        "pushed_authorization_request_endpoint", "registration_endpoint",
    ]

    /// Everything that the response to a registration says, but no error.
    private static let registration: Set = [
        "registration.status", "registration.names", "registration.redirect_uris",
        "registration.token_endpoint_auth_method", "registration.read", "registration.name",
    ]

    private static let changes: [Misbehaviour: Set<String>] = [
        .registrationRefused: registration.union(["registration.error"]),
        .registrationIsHTML: registration,
        .registrationRedirects: registration,
        .registrationWithoutClientID: ["registration.names", "registration.name"],
        .registrationMovesRedirect: ["registration.redirect_uris"],
        .registrationDemandsKey: ["registration.token_endpoint_auth_method"],
        .registrationOfAnother: ["registration.name"],

        .wrongIssuer: both("iss"),
        .missingIssuer: both("iss"),
        .wrongAudience: both("aud"),
        .missingAudience: both("aud"),
        .wrongAuthorizedParty: both("azp"),
        .missingAuthorizedParty: both("aud"),
        .wrongNonce: both("nonce"),
        .missingNonce: ["idToken.nonce"],
        .wrongAccessTokenHash: both("at_hash"),
        .missingSubject: both("sub"),
        .overlongSubject: both("sub"),
        .missingIssuedAt: both("iat"),
        .issuedInFuture: both("iat", "exp"),
        .missingExpiry: both("exp"),
        .expired: both("iat", "exp"),
        .notYetValid: both("nbf"),
        .datesAsText: both("iat", "exp"),
        .missingAuthenticationTime: both("auth_time"),
        .staleAuthentication: both("auth_time"),

        .badSignature: both("signature"),
        .unsignedToken: both("header.alg", "signature"),
        .hmacWithPublicKey: both("header.alg", "signature"),
        .unknownAlgorithm: both("header.alg"),
        .criticalHeader: both("header.crit", "header.urn:example:unknown"),
        .duplicateClaims: both("sub"),
        .duplicateHeaderMembers: both("header.alg"),
        .missingKeyID: both("header.kid").union(["keys.entries"]),
        .numericKeyID: both("header.kid"),
        .unknownKeyID: both("header.kid"),
        .withdrawnKey: both("header.kid", "signature"),
        .embeddedKey: both("header.jwk", "signature"),
        .accessTokenAsIDToken: both("header.typ"),
        .oversizedIDToken: both("padding").union([
            "token.size", "refresh.size", "form.idToken.length", "form.refreshedIDToken.length",
        ]),
        .missingIDToken: ["token.id_token", "refresh.id_token"],
        .encryptedToken: forms,
        .nestedToken: forms,
        .paddedBase64: forms,
        .truncatedToken: forms,

        .refreshedIssuer: ["refreshedIDToken.iss"],
        .refreshedSubject: ["refreshedIDToken.sub"],
        .refreshedAudience: ["refreshedIDToken.aud"],
        .refreshedAuthenticationTime: ["refreshedIDToken.auth_time"],

        .wrongCallbackState: ["callback.state"],
        .missingCallbackState: ["callback.state", "callback.names", "refusal.names"],
        .repeatedCallbackState: ["callback.state", "callback.names", "refusal.names"],
        .wrongCallbackIssuer: ["callback.iss"],
        .missingCallbackIssuer: ["callback.iss", "callback.names", "refusal.names"],
        .missingCode: ["callback.names"],
        .repeatedCode: ["callback.names", "refusal.names"],
        .codeAndError: ["callback.names", "callback.error", "refusal.names"],
        .tokensInCallback: ["callback.fragment"],

        .acceptsCodeReplay: ["replay.status"],
        .spentCode: ["token.status", "token.error", "token.error_description"],
        .tokenEndpointRedirects: firstTokens("status", "type", "json"),
        .tokenEndpointAnswersHTML: firstTokens("type", "json"),
        .emptyTokenAnswer: firstTokens("type", "json"),
        .brokenTokenJSON: firstTokens("json"),
        .tokenAnswerIsArray: firstTokens("json"),
        .endlessTokenAnswer: ["outcome.token", "outcome.service"],
        .missingAccessToken: tokens("access_token").union(both("at_hash")),
        .bearerForDPoP: ["token.token_type", "refresh.token_type"],
        .endlessDPoPNonces: ["token.status", "token.error", "token.error_description", "token.nonce"],
        .wrongDateHeader: Set(stages.map { "\($0).date" }),
        .missingTokenType: tokens("token_type"),
        .unknownTokenType: tokens("token_type"),
        .duplicateTokenMembers: tokens("access_token"),
        .oversizedTokenAnswer: tokens("size"),

        .wrongDiscoveryIssuer: documents("issuer"),
        .missingDiscoveryIssuer: documents("issuer"),
        .issuerWithTrailingSlash: documents("issuer"),
        .plainHTTPEndpoints: Set(metadataMembers.flatMap { documents($0) }),
        .missingAuthorizationEndpoint: documents("authorization_endpoint"),
        .missingTokenEndpoint: documents("token_endpoint"),
        .missingKeySetAddress: documents("jwks_uri"),
        .duplicateDiscoveryMembers: documents("issuer"),
        .oversizedDiscovery: documents("size"),
        .discoveryRedirects: documents("status", "type", "json"),
        .discoveryIsHTML: documents("type", "json"),

        .emptyKeySet: unprovable.union(["keys.entries"]),
        .keySetIsHTML: unprovable.union(["keys.type", "keys.json", "keys.entries"]),
        .keySetRedirects: unprovable.union(["keys.status", "keys.type", "keys.json", "keys.entries"]),
        .duplicateKeySetMembers: ["keys.keys"],
        .oversizedKeySet: ["keys.size"],

        .wrongUserInfoSubject: ["userInfo.sub"],
        .missingUserInfoSubject: ["userInfo.sub"],
        .userInfoIsHTML: ["userInfo.type", "userInfo.json"],
        .wrongUserInfoIssuer: ["userInfo.iss"],
        .wrongUserInfoAudience: ["userInfo.aud"],
        .badUserInfoSignature: ["userInfo.signature"],
        .unsignedUserInfo: ["userInfo.header.alg", "userInfo.signature"],
    ]
}
