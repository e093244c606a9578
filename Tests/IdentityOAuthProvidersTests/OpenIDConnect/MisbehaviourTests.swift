import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

/// A server that breaks one rule, and what the client must say to it.
@Suite struct MisbehaviourTests {
    typealias Misbehaviour = LocalOpenIDConnectServer.Misbehaviour

    /// What the client does while the server misbehaves.
    enum Occasion: Sendable {
        /// Everything a sign-in takes, from the discovery on.
        case signIn
        /// The same, asking how long ago the person signed in.
        case signInWithMaxAge
        /// The same, with tokens that are bound to a key.
        case signInWithDPoP
        /// A refresh of a session that began well.
        case refresh
        /// A refresh whose ID token is not taken, which is reported and no failure.
        case refreshReport
        /// A sign-in of a client that registers itself.
        case registeredSignIn
        /// The second sign-in of such a client.
        case secondRegisteredSignIn
        /// A call for user info in a session that began well.
        case userInfo
        /// The same callback a second time.
        case secondCallback
    }

    struct Row: Sendable {
        let occasion: Occasion
        let code: String

        init(_ code: String, on occasion: Occasion = .signIn) {
            self.occasion = occasion
            self.code = code
        }
    }

    static let rows: [Misbehaviour: Row] = [
        // Registration
        .registrationRefused: Row("invalid_client_metadata", on: .registeredSignIn),
        .registrationWithoutClientID: Row("answer_missing_member", on: .registeredSignIn),
        .registrationMovesRedirect: Row("registration_redirect_uri_replaced", on: .registeredSignIn),
        .registrationDemandsKey: Row("registration_unsupported_authentication", on: .registeredSignIn),
        .registrationIsHTML: Row("answer_wrong_content_type", on: .registeredSignIn),
        .registrationRedirects: Row("answer_redirected", on: .registeredSignIn),
        .registrationOfAnother: Row("answer_invalid_member", on: .secondRegisteredSignIn),

        // Claims of the ID token
        .wrongIssuer: Row("id_token_iss_mismatch"),
        .missingIssuer: Row("id_token_iss_missing"),
        .wrongAudience: Row("id_token_aud_mismatch"),
        .missingAudience: Row("id_token_aud_missing"),
        .wrongAuthorizedParty: Row("id_token_azp_mismatch"),
        .missingAuthorizedParty: Row("id_token_azp_missing"),
        .wrongNonce: Row("id_token_nonce_mismatch"),
        .missingNonce: Row("id_token_nonce_missing"),
        .wrongAccessTokenHash: Row("id_token_at_hash_mismatch"),
        .missingSubject: Row("id_token_sub_missing"),
        .overlongSubject: Row("id_token_sub_missing"),
        .missingIssuedAt: Row("id_token_iat_missing"),
        .issuedInFuture: Row("id_token_iat_in_future"),
        .missingExpiry: Row("id_token_exp_missing"),
        .expired: Row("id_token_expired"),
        .notYetValid: Row("id_token_nbf_in_future"),
        .datesAsText: Row("id_token_malformed_claim"),
        .missingAuthenticationTime: Row("id_token_auth_time_missing", on: .signInWithMaxAge),
        .staleAuthentication: Row("id_token_auth_time_too_old", on: .signInWithMaxAge),
        .missingIDToken: Row("id_token_missing"),

        // Form and signature of the ID token
        .badSignature: Row("jwt_invalid_signature"),
        .unsignedToken: Row("jwt_unaccepted_algorithm"),
        .hmacWithPublicKey: Row("jwt_unaccepted_algorithm"),
        .unknownAlgorithm: Row("jwt_unaccepted_algorithm"),
        .criticalHeader: Row("jwt_critical_extension"),
        .encryptedToken: Row("jwt_encrypted"),
        .nestedToken: Row("jwt_nested"),
        .duplicateClaims: Row("jwt_duplicate_member"),
        .duplicateHeaderMembers: Row("jwt_duplicate_member"),
        .missingKeyID: Row("jwt_ambiguous_key"),
        .numericKeyID: Row("jwt_malformed"),
        .unknownKeyID: Row("jwt_key_not_found"),
        .withdrawnKey: Row("jwt_key_not_found"),
        .embeddedKey: Row("jwt_invalid_signature"),
        .paddedBase64: Row("jwt_malformed"),
        .truncatedToken: Row("jwt_malformed"),
        .accessTokenAsIDToken: Row("id_token_wrong_type"),
        .oversizedIDToken: Row("answer_too_large"),

        // The refreshed ID token
        .refreshedIssuer: Row("session_ended", on: .refresh),
        .refreshedSubject: Row("session_ended", on: .refresh),
        .refreshedAudience: Row("session_ended", on: .refresh),
        .refreshedAuthenticationTime: Row("id_token_auth_time_mismatch", on: .refreshReport),

        // The authorization response
        .wrongCallbackState: Row("callback_state_mismatch"),
        .missingCallbackState: Row("callback_state_missing"),
        .repeatedCallbackState: Row("callback_repeated_parameter"),
        .wrongCallbackIssuer: Row("callback_issuer_mismatch"),
        .missingCallbackIssuer: Row("callback_issuer_missing"),
        .missingCode: Row("callback_code_missing"),
        .repeatedCode: Row("callback_repeated_parameter"),
        .codeAndError: Row("access_denied"),
        .tokensInCallback: Row("callback_contains_token"),

        // The token endpoint
        .acceptsCodeReplay: Row("callback_flow_over", on: .secondCallback),
        .spentCode: Row("invalid_grant"),
        .tokenEndpointRedirects: Row("answer_redirected"),
        .tokenEndpointAnswersHTML: Row("answer_error_page"),
        .emptyTokenAnswer: Row("answer_wrong_content_type"),
        .brokenTokenJSON: Row("answer_malformed_json"),
        .tokenAnswerIsArray: Row("answer_malformed_json"),
        .duplicateTokenMembers: Row("answer_duplicate_member"),
        .oversizedTokenAnswer: Row("answer_too_large"),
        .endlessTokenAnswer: Row("answer_too_large"),
        .missingAccessToken: Row("answer_missing_member"),
        .missingTokenType: Row("answer_missing_member"),
        .unknownTokenType: Row("answer_unsupported_token_type"),
        .bearerForDPoP: Row("answer_unsupported_token_type", on: .signInWithDPoP),
        .endlessDPoPNonces: Row("use_dpop_nonce", on: .signInWithDPoP),
        .wrongDateHeader: Row("id_token_expired"),

        // Discovery
        .wrongDiscoveryIssuer: Row("metadata_issuer_mismatch"),
        .missingDiscoveryIssuer: Row("metadata_not_found"),
        .issuerWithTrailingSlash: Row("metadata_issuer_mismatch"),
        .plainHTTPEndpoints: Row("metadata_insecure_endpoint"),
        .missingAuthorizationEndpoint: Row("metadata_missing_endpoint"),
        .missingTokenEndpoint: Row("metadata_missing_endpoint"),
        .missingKeySetAddress: Row("metadata_missing_endpoint"),
        .discoveryRedirects: Row("metadata_not_found"),
        .discoveryIsHTML: Row("metadata_not_found"),
        .duplicateDiscoveryMembers: Row("metadata_not_found"),
        .oversizedDiscovery: Row("answer_too_large"),

        // Keys
        .emptyKeySet: Row("jwt_key_not_found"),
        .keySetIsHTML: Row("answer_wrong_content_type"),
        .keySetRedirects: Row("answer_redirected"),
        .duplicateKeySetMembers: Row("answer_duplicate_member"),
        .oversizedKeySet: Row("answer_too_large"),

        // User info
        .wrongUserInfoSubject: Row("userinfo_sub_mismatch", on: .userInfo),
        .missingUserInfoSubject: Row("userinfo_sub_mismatch", on: .userInfo),
        .userInfoIsHTML: Row("answer_wrong_content_type", on: .userInfo),
        .wrongUserInfoIssuer: Row("userinfo_iss_mismatch", on: .userInfo),
        .wrongUserInfoAudience: Row("userinfo_aud_mismatch", on: .userInfo),
        .badUserInfoSignature: Row("jwt_invalid_signature", on: .userInfo),
        .unsignedUserInfo: Row("jwt_unaccepted_algorithm", on: .userInfo),
    ]

    @Test("Every rule the server can break has its row")
    func complete() {
        #expect(Set(Misbehaviour.allCases).subtracting(Self.rows.keys) == [])
    }

    @Test(
        "A broken rule is noticed, by its own code, and nothing comes of it",
        .guards(
            "nonce", "access token injection", "implicit grant", "server metadata", "every signature", "algorithms",
            "issuer and subject", "JWT audience"), arguments: Misbehaviour.allCases)
    func refused(misbehaviour: Misbehaviour) async throws {
        let row = try #require(Self.rows[misbehaviour])
        let fixture = try await OpenIDFixture { $0.allowsRegistration = true }
        let error = await #expect(throws: (any Error).self) {
            try await Self.attempt(row.occasion, at: fixture) { fixture.server.misbehave(misbehaviour) }
        }
        let failure = try #require(error as? any IdentityFailure)
        #expect(failure.failureCode == row.code)
        #expect(!failure.message.isEmpty)
        if row.occasion == .signIn {
            #expect(try await fixture.provider().silentAccount(scopes: [], deviceToken: "d").account == nil)
            #expect(try await fixture.pendingFlows == 0)
        }
        await fixture.server.stop()
    }

    @Test("Without the broken rule, each occasion goes well", arguments: Self.occasions)
    func accepted(occasion: Occasion) async throws {
        let fixture = try await OpenIDFixture { $0.allowsRegistration = true }
        try await Self.attempt(occasion, at: fixture) {}
        await fixture.server.stop()
    }

    private static let occasions: [Occasion] = [
        .signIn, .signInWithMaxAge, .signInWithDPoP, .refresh, .refreshReport, .userInfo, .registeredSignIn,
        .secondRegisteredSignIn,
    ]

    private static func attempt(
        _ occasion: Occasion, at fixture: OpenIDFixture, misbehave: () -> Void
    ) async throws {
        switch occasion {
        case .signIn:
            misbehave()
            _ = try await fixture.signedIn()
        case .signInWithMaxAge:
            misbehave()
            try await signIn(with: fixture.relyingParty(), at: fixture) { $0.options.maxAge = 300 }
        case .signInWithDPoP:
            misbehave()
            let dpop = try DPoPProver(key: SigningKey(), time: fixture.clock.dates)
            try await signIn(with: fixture.relyingParty(dpop: dpop), at: fixture) { _ in }
        case .refresh:
            let provider = try await fixture.signedIn()
            misbehave()
            fixture.clock.advance(by: .seconds(3600))
            _ = try await provider.accessToken(for: fixture.account, scopes: [])
        case .refreshReport:
            let provider = try await fixture.signedIn()
            misbehave()
            fixture.clock.advance(by: .seconds(3600))
            let reports = try await fixture.refreshes.reports {
                _ = try await provider.accessToken(for: fixture.account, scopes: [])
            }
            for case .droppedIDToken(_, let reason) in reports { throw reason }
        case .registeredSignIn:
            misbehave()
            _ = try await fixture.signedIn { $0.register() }
        case .secondRegisteredSignIn:
            _ = try await fixture.signedIn { $0.register() }
            misbehave()
            _ = try await fixture.signedIn { $0.register() }
        case .userInfo:
            let provider = try await fixture.signedIn()
            misbehave()
            _ = try await provider.userInfo(for: fixture.account)
        case .secondCallback:
            let callback = try await fixture.login.signIn(at: fixture.abandonedSignIn())
            misbehave()
            try await fixture.provider().finishSignIn(callback)
            try await fixture.provider().finishSignIn(callback)
        }
    }

    private static func signIn(
        with party: RelyingParty, at fixture: OpenIDFixture, adjust: (inout AuthorizationRequest) -> Void
    ) async throws {
        let redirectURI = try #require(URL(string: OpenIDFixture.redirectURI))
        var request = try party.authorizationRequest(redirectURI: redirectURI, scopes: ["openid"])
        adjust(&request)
        let callback = try await fixture.login.signIn(at: party.url(for: request))
        _ = try await party.redeem(callback, for: request.pending)
    }
}

@Suite struct RefreshedTokenTests {
    @Test("An ID token that is dropped costs nothing else, and is reported")
    func dropped() async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        fixture.server.misbehave(.refreshedAuthenticationTime)
        fixture.clock.advance(by: .seconds(3600))
        let reports = try await fixture.refreshes.reports {
            _ = try await provider.accessToken(for: fixture.account, scopes: [])
        }
        let codes = reports.compactMap { report in
            if case .droppedIDToken(fixture.account, let reason) = report { reason.identityFailureCode } else { nil }
        }
        #expect(codes == ["id_token_auth_time_mismatch"])
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 2)
        await fixture.server.stop()
    }

    @Test(
        "An ID token of another person ends the session (Core section 12.2)",
        arguments: [
            LocalOpenIDConnectServer.Misbehaviour.refreshedIssuer, .refreshedSubject, .refreshedAudience, .badSignature,
        ])
    func foreign(misbehaviour: LocalOpenIDConnectServer.Misbehaviour) async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        fixture.server.misbehave(misbehaviour)
        fixture.clock.advance(by: .seconds(3600))
        let error = await #expect(throws: SessionError.self) {
            try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect(error?.failureCode == "session_ended")
        await fixture.server.stop()
    }
}
