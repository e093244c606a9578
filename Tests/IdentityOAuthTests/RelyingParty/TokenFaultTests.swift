import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import Testing

/// A sign-in can be repeated, and a spent refresh token cannot be sent again. So the same odd response may be refused in the
/// one case and is used in the other.
@Suite("What an odd token response comes to")
struct TokenFaultTests {
    typealias Fault = LocalOpenIDConnectServer.TokenFault

    struct Row: Sendable {
        /// The code of the error at a sign-in; `nil` where the response is good enough for one.
        let signIn: String?
        /// What a refresh comes to.
        var refresh = RefreshOutcome.refreshed
        /// What a refresh says it tolerated.
        var tolerated: [String] = []

        static func odd(_ member: String, signIn: String? = "answer_invalid_member") -> Row {
            Row(signIn: signIn, tolerated: ["the member \(member) has the wrong form."])
        }
    }

    static let rows: [Fault: Row] = [
        .labelledAsPage: Row(signIn: nil, tolerated: ["its content type is text/html."]),
        .labelledAsText: Row(signIn: nil, tolerated: ["its content type is text/plain."]),
        .unlabelled: Row(signIn: nil, tolerated: ["its content type is missing."]),
        .formAsText: Row(signIn: nil, tolerated: ["its content type is text/plain."]),
        .camelCaseMembers: Row(signIn: nil),
        .created: Row(signIn: nil, tolerated: ["HTTP status 201 was not expected."]),
        .byteOrderMark: Row(signIn: nil, tolerated: ["it begins with a byte order mark."]),
        .repeatedAccessToken: Row(
            signIn: "answer_duplicate_member", tolerated: ["it names the member access_token twice."]),
        .repeatedLifetime: Row(
            signIn: "answer_duplicate_member", tolerated: ["it names the member expires_in twice."]),
        // Only what is nested can be flat.
        .flatRefresh: Row(signIn: nil),

        .noTokenType: Row(signIn: "answer_missing_member", tolerated: ["it names no token type."]),
        .emptyTokenType: Row(signIn: "answer_missing_member", tolerated: ["it names no token type."]),
        .numericTokenType: Row(
            signIn: "answer_invalid_member",
            tolerated: ["the member token_type has the wrong form.", "it names no token type."]),
        .unknownTokenType: Row(
            signIn: "answer_unsupported_token_type", tolerated: ["the token type JWT is not known."]),
        .bearerTokenType: Row(signIn: nil),
        .boundTokenType: Row(signIn: "answer_unsupported_token_type", refresh: .unusable),
        .inapplicableTokenType: Row(signIn: "answer_unsupported_token_type", refresh: .unusable),

        .hostileAccessToken: Row(signIn: "answer_invalid_member", refresh: .unusable),
        .noAccessToken: Row(signIn: "answer_missing_member", refresh: .unusable),
        .numericRefreshToken: .odd("refresh_token"),
        .listedScope: .odd("scope"),
        .scopeObject: .odd("scope"),
        .hostileScope: .odd("scope"),
        .expiresAt: Row(signIn: nil),
        .expiresOn: Row(signIn: nil),
        .expiresAsTime: Row(signIn: nil),
        .expiresAsLifetime: Row(signIn: nil),
        .listedLifetime: .odd("expires_in", signIn: nil),
        .refreshLifetimeAsWord: .odd("refresh_token_expires_in", signIn: nil),
        .idTokenObject: .odd("id_token"),
        .numericIssuedTokenType: .odd("issued_token_type"),

        .oddClaims: Row(signIn: nil),
        .issuedTenMinutesAhead: Row(signIn: nil),
    ]

    @Test("A sign-in takes another delivery and other names, and nothing else", arguments: Fault.allCases)
    func signIn(fault: Fault) async throws {
        let row = try #require(Self.rows[fault])
        do {
            let session = try await OpenIDSession { $0.misbehave(fault) }
            #expect(row.signIn == nil, "accepted")
            // However it is said, the lifetime is the server's.
            let lifetime = session.server.configuration.accessTokenLifetime.timeInterval
            let end = fault == .listedLifetime ? nil : session.credential.signedInAt + lifetime
            #expect(session.credential.expiresAt == end)
            await session.server.stop()
        } catch let failure as OAuthError {
            #expect(failure.failureCode == row.signIn)
        }
    }

    @Test("A refresh throws no new token away, and says what was odd", arguments: Fault.allCases)
    func refresh(fault: Fault) async throws {
        let row = try #require(Self.rows[fault])
        let session = try await OpenIDSession()
        let before = session.credential
        session.server.misbehave(fault)
        let result = try await session.refresh()
        #expect(RefreshOutcome(result) == row.refresh)
        let kept: Credential
        switch result {
        case .refreshed(let credential, let dropped, let faults):
            #expect(faults == row.tolerated && dropped == nil)
            #expect(credential.accessToken != before.accessToken && credential.accessToken != "another")
            #expect(credential.tokenType == before.tokenType && credential.scopes == before.scopes)
            #expect((credential.refreshToken == before.refreshToken) == (fault == .numericRefreshToken))
            kept = credential
        case .unusable(let credential, _):
            #expect(credential.accessToken == before.accessToken && credential.expiresAt == before.expiresAt)
            #expect(credential.refreshToken != before.refreshToken)
            kept = credential
        case .refused, .personNeeded, .ambiguous, .misconfigured, .stepUpNeeded, .clientUnknown, .unreadable, .notSent,
            .unspent:
            return
        }
        // Where the server's own refresh token was readable, the next refresh is as any other.
        session.server.behave()
        if fault != .numericRefreshToken {
            #expect(RefreshOutcome(try await session.refresh(kept)) == .refreshed)
        }
        await session.server.stop()
    }

    @Test("A bound session keeps its key: a type that is missing continues, and a bearer token is not used")
    func boundSession() async throws {
        let session = try await OpenIDSession(bindsTokens: true)
        #expect(session.credential.tokenType == "DPoP")
        session.server.misbehave(Fault.bearerTokenType)
        guard case .unusable(let kept, let error) = try await session.refresh() else {
            Issue.record("a bearer token was taken")
            return
        }
        #expect(error.identityFailureCode == "answer_unsupported_token_type")
        #expect((error as? any IdentityFailure)?.failureClass == .definitive)
        #expect((error as? any IdentityFailure)?.message.contains("bindsTokens") == true)
        #expect(kept.proofKey == session.credential.proofKey && kept.accessToken == session.credential.accessToken)

        session.server.behave()
        session.server.misbehave(Fault.noTokenType)
        guard case .refreshed(let refreshed, _, _) = try await session.refresh(kept) else {
            Issue.record("the new refresh token was lost")
            return
        }
        #expect(refreshed.tokenType == "DPoP" && refreshed.proofKey == session.credential.proofKey)
        await session.server.stop()
    }

    @Test("An access token that must not be used cannot be read where no refresh token came with it")
    func nothingToKeep() async throws {
        let session = try await OpenIDSession()
        session.server.misbehave(Fault.boundTokenType)
        session.server.vary(.noNewRefreshToken)
        #expect(await session.outcome() == .unreadable)
        await session.server.stop()
    }

    @Test("Tokens in a member at the sign-in may be the document itself at a refresh, as at Slack, and not before")
    func flatRefresh() async throws {
        var format = TokenResponseFormat()
        format.memberPath = "authed_user"
        let session = try await OpenIDSession(format: format) {
            $0.vary(.nestedTokens)
            $0.misbehave(Fault.flatRefresh)
        }
        guard case .refreshed(let refreshed, _, let faults) = try await session.refresh() else {
            Issue.record("not refreshed")
            return
        }
        #expect(refreshed.refreshToken != session.credential.refreshToken && faults == [])
        session.server.behave()
        session.server.vary(.nestedTokens)
        #expect(RefreshOutcome(try await session.refresh(refreshed)) == .refreshed)
        await session.server.stop()
        let error = await #expect(throws: OAuthError.self) { try await OpenIDSession(format: format) }
        #expect(error?.failureCode == "answer_missing_member")
    }

    @Test(
        "With the setting, a form is one under any label, at the sign-in as at a refresh",
        arguments: [Fault.labelledAsText, .labelledAsPage, .unlabelled, .created])
    func form(fault: Fault) async throws {
        var format = TokenResponseFormat()
        format.encoding = .form
        let session = try await OpenIDSession(format: format) {
            $0.vary(.formEncodedTokens)
            $0.misbehave(fault)
        }
        #expect(await session.outcome() == .refreshed)
        await session.server.stop()
        // JSON where a form was expected.
        let other = try await OpenIDSession(format: format) { $0.vary(.formEncodedTokens) }
        other.server.behave()
        #expect(await other.outcome() == .refreshed)
        await other.server.stop()
    }

    /// The odd responses that a sign-in takes, and a form (`nil`).
    static let shapes: [Fault?] =
        [nil]
        + rows.filter { $0.value.signIn == nil }.keys.filter { ![.oddClaims, .issuedTenMinutesAhead].contains($0) }

    static let rules: [LocalOpenIDConnectServer.Misbehaviour: String] = [
        .wrongNonce: "id_token_nonce_mismatch", .wrongIssuer: "id_token_iss_mismatch",
        .wrongAudience: "id_token_aud_mismatch", .wrongAccessTokenHash: "id_token_at_hash_mismatch",
        .badSignature: "jwt_invalid_signature", .missingIDToken: "id_token_missing",
    ]

    @Test("An odd response lets nothing pass that breaks a rule", arguments: shapes, Array(rules.keys))
    func brokenRule(shape: Fault?, rule: LocalOpenIDConnectServer.Misbehaviour) async throws {
        let error = await #expect(throws: OAuthError.self) {
            try await OpenIDSession {
                Self.write($0, as: shape)
                $0.misbehave(rule)
            }
        }
        #expect(error?.failureCode == Self.rules[rule])
    }

    @Test(
        "An odd response to a refresh ends the session of another person, issuer or client, as one by the book does",
        arguments: shapes,
        [LocalOpenIDConnectServer.Misbehaviour.refreshedSubject, .refreshedIssuer, .refreshedAudience, .badSignature])
    func brokenRefresh(shape: Fault?, rule: LocalOpenIDConnectServer.Misbehaviour) async throws {
        let session = try await OpenIDSession { Self.write($0, as: shape) }
        session.server.misbehave(rule)
        #expect(await session.outcome() == .refused)
        await session.server.stop()
    }

    private static func write(_ server: LocalOpenIDConnectServer, as shape: Fault?) {
        guard let shape else { return server.vary(.formEncodedTokens) }
        server.misbehave(shape)
    }

    @Test("A page is no token response, however it is labelled", arguments: ["text/html", "application/json", nil])
    func page(type: String?) async throws {
        let session = try await OpenIDSession()
        let headers = type.map { [(name: "Content-Type", value: $0)] } ?? []
        let page = LocalResponse(status: 200, headers: headers, body: Data("<html>Welcome</html>".utf8))
        session.server.http.fail(.answer(page), pathPrefix: "/token")
        #expect(await session.outcome() == (type == "text/html" ? .unspent : .unreadable))
        await session.server.stop()
    }
}
