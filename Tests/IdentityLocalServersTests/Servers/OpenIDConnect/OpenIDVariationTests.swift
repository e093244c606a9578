import IdentityLocalServers
import Testing

/// Each variation differs in what it is named after and in nothing else.
@Suite("OpenID Connect server: variations")
struct OpenIDVariationTests {
    typealias Variation = LocalOpenIDConnectServer.Variation

    @Test("A variation changes what it is named after and nothing else", arguments: Variation.allCases)
    func changesExactlyThat(variation: Variation) async throws {
        let expected = try #require(Self.changes[variation], "no row for \(variation)")
        let algorithm: LocalOpenIDConnectServer.SigningAlgorithm =
            variation == .algorithmNamedEd25519 ? .edDSA : .es256
        let plain = try await (algorithm == .edDSA ? Self.plainWithEdDSA : Self.plain).value
        let varied = try await OpenIDObservation.make(algorithm: algorithm) { $0.vary(variation) }
        #expect(varied.differences(from: plain) == expected)
    }

    private static let plain = Task { try await OpenIDObservation.make() }
    private static let plainWithEdDSA = Task { try await OpenIDObservation.make(algorithm: .edDSA) }

    private static func both(_ names: String...) -> Set<String> {
        Set(names.flatMap { ["idToken.\($0)", "refreshedIDToken.\($0)"] })
    }

    private static func tokens(_ names: String...) -> Set<String> {
        Set(names.flatMap { ["token.\($0)", "refresh.\($0)", "service.\($0)"] })
    }

    private static func errors(_ names: String...) -> Set<String> {
        Set(names.flatMap { ["error.\($0)", "challenge.\($0)"] })
    }

    private static let stages = [
        "discovery", "metadata", "keys", "token", "refresh", "service", "userInfo", "error", "challenge", "revocation",
        "device",
    ]

    /// A wrong clock.
    private static let clocks = both("iat", "exp", "auth_time").union(stages.map { "\($0).date" })

    private static let changes: [Variation: Set<String>] = [
        .lowercaseTokenType: tokens("token_type"),
        .noScope: tokens("scope"),
        // The scope that goes is `email`, and its claims go with it.
        .narrowedScope: tokens("scope").union(["userInfo.email", "userInfo.email_verified"]),
        .reorderedScope: tokens("scope"),
        .listedScopes: tokens("scope"),
        .noLifetime: tokens("expires_in"),
        .lifetimeAsText: tokens("expires_in"),
        .lifetimeAsWord: tokens("expires_in"),
        .absurdLifetime: tokens("expires_in"),
        .noNewRefreshToken: ["refresh.refresh_token"],
        .noRefreshedIDToken: ["refresh.id_token"],
        .extraTokenMembers: tokens("example_parameter", "not_before_policy"),
        // The scopes of that session do not name `offline_access`.
        .noFirstRefreshToken: ["token.refresh_token"],
        .refreshTokenForOfflineAccessOnly: ["token.refresh_token"],
        .aliasedScope: ["token.scope", "refresh.scope"],

        .tenantIssuers: both("iss", "tid").union([
            "discovery.issuer", "metadata.issuer",
            "discovery.authorization_response_iss_parameter_supported",
            "metadata.authorization_response_iss_parameter_supported", "callback.iss", "callback.names",
            "refusal.names",
        ]),

        .emptyErrorBody: errors("type", "json", "error", "error_description"),
        .htmlErrors: errors("type", "json", "error", "error_description"),
        .errorWithoutDescription: errors("error_description"),
        .deadRefreshTokenIsInvalidRequest: ["error.error"],
        .deadRefreshTokenIsUnauthorized: [
            "error.status", "error.type", "error.json", "error.error", "error.error_description",
        ],
        .deadRefreshTokenIsServerError: ["error.status"],
        .challengeWithoutScheme: ["challenge.scheme"],
        .refusesPublicRevocation: [
            "revocation.status", "revocation.type", "revocation.error", "revocation.error_description",
            "revocation.json",
        ],

        .audienceArray: both("aud"),
        .floatDates: both("iat", "exp", "auth_time"),
        .noAccessTokenHash: both("at_hash"),
        .claimsInUserInfoOnly: both(
            "name", "given_name", "family_name", "preferred_username", "email", "email_verified"),
        .algorithmNamedEd25519: both("header.alg").union([
            "keys.entries", "discovery.id_token_signing_alg_values_supported",
            "discovery.userinfo_signing_alg_values_supported", "metadata.id_token_signing_alg_values_supported",
            "metadata.userinfo_signing_alg_values_supported",
        ]),
        .clockAhead: clocks,
        .clockBehind: clocks,

        .noKeyID: both("header.kid").union(["keys.entries"]),
        .severalKeysOfOneType: ["keys.entries"],
        .keysWithoutAlgorithm: ["keys.entries"],
        .keysWithoutUse: ["keys.entries"],
        .keysWithNullUse: ["keys.entries"],
        .paddedKeys: ["keys.entries"],
        .repeatedKeys: ["keys.entries"],
        .encryptionKeys: ["keys.entries"],
        .unknownKeys: ["keys.entries"],
        .rotatesBeforeSigning: both("header.kid", "signature"),

        .onlyOAuthMetadata: ["discovery.status", "discovery.type", "discovery.json"],
        // The same place, for an issuer without a path.
        .onlyOAuthMetadataBelowIssuer: ["discovery.status", "discovery.type", "discovery.json"],
        .invalidOptionalEndpoints: Set(
            ["end_session_endpoint", "introspection_endpoint", "device_authorization_endpoint", "userinfo_endpoint"]
                .flatMap { ["discovery.\($0)", "metadata.\($0)"] }),
        .deviceTimesAsText: ["device.expires_in", "device.interval"],
        .endpointsOnlyInOAuthMetadata: [
            "discovery.revocation_endpoint", "discovery.introspection_endpoint",
            "discovery.device_authorization_endpoint",
        ],
        .onlyOpenIDConfiguration: ["metadata.status", "metadata.type", "metadata.json"],
        .httpsIssuer: both("iss").union(["discovery.issuer", "metadata.issuer", "callback.iss"]),

        .registrationUnmanaged: ["registration.names", "registration.read", "registration.name"],

        .formEncodedTokens: ["token.type", "token.json", "service.type", "service.json"],
        .nestedTokens: Set(
            ["ok", "authed_user", "access_token", "token_type", "expires_in", "scope"]
                .flatMap { ["token.\($0)", "service.\($0)"] }
        ).union(["token.refresh_token", "token.id_token"]),
        // What is one scope with spaces is not known.
        .commaSeparatedScopes: [
            "callback.names", "callback.error", "callback.error_description", "service.status", "service.error",
            "service.error_description",
        ],
        .refreshTokenLifetime: ["token.refresh_token_expires_in", "refresh.refresh_token_expires_in"],
        .ownerInTokens: tokens("owner"),
        .errorsWithStatusOK: ["error.status", "replay.status"],
        .noCodeChallenge: [
            "callback.names", "callback.error", "callback.error_description",
            "discovery.code_challenge_methods_supported", "metadata.code_challenge_methods_supported",
        ],

        .extraCallbackParameters: ["callback.names", "callback.session_state", "callback.ext", "refusal.names"],
        // The request asks for the query.
        .personInForm: ["callback.names", "callback.error", "callback.error_description"],
        .errorCallbackWithoutIssuer: ["refusal.names"],
        .signedUserInfo: [
            "userInfo.type", "userInfo.json", "userInfo.iss", "userInfo.aud", "userInfo.header.alg",
            "userInfo.header.kid", "userInfo.header.typ", "userInfo.signature",
        ],
    ]
}
