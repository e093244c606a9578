import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import Testing

/// A server that differs as servers in the field do, and what the RFCs make of it.
@Suite struct VariationTests {
    typealias Variation = LocalOpenIDConnectServer.Variation

    /// What the client does at such a server.
    enum Occasion: Sendable {
        /// A whole session: sign-in, token, user info, refresh, sign-out with revocation.
        case session
        /// A sign-in and a refresh.
        case signIn
        /// A sign-in, a step up, and a refresh.
        case stepUp
        /// A refresh of a session that an administrator revoked.
        case revokedRefresh
        /// A sign-in that the person refuses.
        case refusedSignIn
        /// A call for user info with a token that an administrator revoked.
        case revokedUserInfo
    }

    /// `code` is `nil` where the variation must do no harm.
    struct Row: Sendable {
        let occasion: Occasion
        let code: String?

        static let accepted = Row(occasion: .session, code: nil)

        static func refused(_ code: String, on occasion: Occasion = .session) -> Row {
            Row(occasion: occasion, code: code)
        }
    }

    static let rows: [Variation: Row] = [
        // The token response
        .lowercaseTokenType: .accepted,
        .noScope: .accepted,
        // Less than was asked for was granted: the session stands, and what is missing is named when it is wanted.
        .narrowedScope: .refused("insufficient_scope"),
        .reorderedScope: .accepted,
        .noLifetime: .accepted,
        .lifetimeAsText: .accepted,
        .lifetimeAsWord: .accepted,
        .absurdLifetime: .accepted,
        .noNewRefreshToken: .accepted,
        .noRefreshedIDToken: .accepted,
        .extraTokenMembers: .accepted,
        .noFirstRefreshToken: Row(occasion: .stepUp, code: nil),
        .refreshTokenForOfflineAccessOnly: Row(occasion: .stepUp, code: nil),
        .aliasedScope: .accepted,
        .formEncodedTokens: .accepted,
        // What needs a setting.
        .nestedTokens: .refused("answer_token_elsewhere"),
        .commaSeparatedScopes: .refused("invalid_scope"),
        .listedScopes: .refused("answer_invalid_member"),
        .noCodeChallenge: .refused("metadata_missing_code_challenge_method"),
        .refreshTokenLifetime: .accepted,
        .ownerInTokens: .accepted,
        .registrationUnmanaged: .accepted,
        .errorsWithStatusOK: .refused("session_ended", on: .revokedRefresh),

        // Errors: a page says nothing about the session, and what may mean several things does not end it at once. One
        // without a description says enough.
        .emptyErrorBody: .refused("answer_failed_status", on: .revokedRefresh),
        .htmlErrors: .refused("answer_error_page", on: .revokedRefresh),
        .errorWithoutDescription: .refused("session_ended", on: .revokedRefresh),
        .deadRefreshTokenIsInvalidRequest: .refused("refresh_refused", on: .revokedRefresh),
        .deadRefreshTokenIsUnauthorized: .refused("answer_failed_status", on: .revokedRefresh),
        .deadRefreshTokenIsServerError: .refused("invalid_grant", on: .revokedRefresh),
        // Understood as a refused token, which is refreshed: the server says that the session is over.
        .challengeWithoutScheme: .refused("session_ended", on: .revokedUserInfo),
        .refusesPublicRevocation: .accepted,

        // ID tokens
        .audienceArray: .accepted,
        .floatDates: .accepted,
        .noAccessTokenHash: .accepted,
        .claimsInUserInfoOnly: .accepted,
        .algorithmNamedEd25519: .accepted,
        .clockAhead: .accepted,
        .clockBehind: .accepted,

        // Keys
        .noKeyID: .accepted,
        .severalKeysOfOneType: .accepted,
        .keysWithoutAlgorithm: .accepted,
        .keysWithoutUse: .accepted,
        .keysWithNullUse: .accepted,
        .paddedKeys: .accepted,
        .repeatedKeys: .accepted,
        .encryptionKeys: .accepted,
        .unknownKeys: .accepted,
        .rotatesBeforeSigning: .accepted,

        // Discovery
        .onlyOAuthMetadata: .accepted,
        .endpointsOnlyInOAuthMetadata: .accepted,
        .onlyOAuthMetadataBelowIssuer: .accepted,
        // A sign-in alone does not use what it spoils.
        .invalidOptionalEndpoints: Row(occasion: .signIn, code: nil),
        .deviceTimesAsText: .accepted,
        .onlyOpenIDConfiguration: .accepted,
        .httpsIssuer: .refused("metadata_issuer_mismatch"),
        .tenantIssuers: .refused("metadata_issuer_mismatch"),

        // Callback and user info
        .extraCallbackParameters: .accepted,
        // Accepted only with a setting; see FormPostTests.
        .personInForm: .refused("invalid_request"),
        .errorCallbackWithoutIssuer: .refused("access_denied", on: .refusedSignIn),
        .signedUserInfo: .accepted,
    ]

    @Test("Every variation has its row")
    func complete() {
        #expect(Set(Variation.allCases).subtracting(Self.rows.keys) == [])
    }

    @Test("A variation is accepted or refused as its RFC says", arguments: Variation.allCases)
    func decided(variation: Variation) async throws {
        let row = try #require(Self.rows[variation])
        let fixture = try await OpenIDFixture {
            if variation == .algorithmNamedEd25519 { $0.signingAlgorithm = .edDSA }
        }
        do {
            try await attempt(row.occasion, at: fixture) { fixture.server.vary(variation) }
            #expect(row.code == nil, "accepted")
        } catch let failure as any IdentityFailure {
            #expect(failure.failureCode == row.code)
        }
        await fixture.server.stop()
    }

    private func attempt(_ occasion: Occasion, at fixture: OpenIDFixture, vary: () -> Void) async throws {
        switch occasion {
        case .session:
            vary()
            try await wholeSession(at: fixture)
        case .signIn:
            vary()
            let provider = try await fixture.signedIn()
            fixture.clock.advance(by: .seconds(3600))
            _ = try await provider.accessToken(for: fixture.account, scopes: [])
        case .stepUp:
            let provider = try await fixture.signedIn()
            vary()
            _ = try await provider.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
            fixture.clock.advance(by: .seconds(3600))
            _ = try await provider.accessToken(for: fixture.account, scopes: [])
            #expect(fixture.server.counters.refreshes == 1)
        case .revokedRefresh:
            let provider = try await fixture.signedIn()
            fixture.server.revokeTokens(ofUser: fixture.server.user.id)
            fixture.clock.advance(by: .seconds(3600))
            vary()
            _ = try await provider.accessToken(for: fixture.account, scopes: [])
        case .refusedSignIn:
            vary()
            let refusing = ScriptedLogin(
                username: fixture.server.user.username, password: fixture.server.user.password, allows: false)
            _ = try await fixture.provider(browser: ScriptedBrowser { try await refusing.signIn(at: $0) })
                .signIn(scopes: [], deviceToken: "d")
        case .revokedUserInfo:
            let provider = try await fixture.signedIn()
            fixture.server.revokeTokens(ofUser: fixture.server.user.id)
            vary()
            _ = try await provider.userInfo(for: fixture.account)
        }
    }

    private func wholeSession(at fixture: OpenIDFixture) async throws {
        let provider = try await fixture.signedIn()
        let token = try await provider.accessToken(for: fixture.account, scopes: ["openid", "offline_access"])
        #expect(try await fixture.resourceStatus(token: token) == 200)
        #expect(try await provider.userInfo(for: fixture.account).claims["name"] == "Ada Lovelace")

        fixture.clock.advance(by: .seconds(3600))
        let refreshed = try await provider.accessToken(
            for: fixture.account, scopes: ["openid", "offline_access"], resource: nil, freshness: .other(than: token))
        #expect(try await fixture.resourceStatus(token: refreshed) == 200)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(
            for: fixture.account, scopes: ["openid"], resource: nil, freshness: .other(than: refreshed))
        #expect(fixture.server.counters.refreshes == 2)
        #expect(fixture.server.counters.replays == 0)

        try await provider.signOut(fixture.account)
        #expect(fixture.requests(to: "/revoke") == 2)
        #expect(fixture.server.counters.signOuts == 1)
    }
}
