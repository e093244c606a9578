import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import Testing

@Suite("What an ID token in a refresh response may do (OpenID Connect Core section 12.2)")
struct RefreshedIDTokenTests {
    typealias Misbehaviour = LocalOpenIDConnectServer.Misbehaviour

    @Test(
        "A wrong signature, or another issuer, audience, person or nonce, ends the session",
        arguments: [
            (Misbehaviour.badSignature, "jwt_invalid_signature"), (.unsignedToken, "jwt_unaccepted_algorithm"),
            (.embeddedKey, "jwt_invalid_signature"), (.refreshedIssuer, "id_token_iss_mismatch"),
            (.refreshedSubject, "id_token_sub_mismatch"), (.refreshedAudience, "id_token_aud_mismatch"),
            (.wrongNonce, "id_token_nonce_mismatch"),
        ])
    func foreign(misbehaviour: Misbehaviour, code: String) async throws {
        let session = try await OpenIDSession()
        session.server.misbehave(misbehaviour)
        let refreshToken = try #require(session.credential.refreshToken)
        let error = await #expect(throws: OAuthError.self) {
            try await session.party.refresh(refreshToken, previousIDToken: session.credential.idToken)
        }
        #expect(error?.failureCode == code)
        await session.server.stop()

        let another = try await OpenIDSession()
        another.server.misbehave(misbehaviour)
        #expect(await another.outcome() == .refused)
        await another.server.stop()
    }

    @Test("A wrong signature by keys that were there before the response is still to be verified")
    func olderKeys() async throws {
        let session = try await OpenIDSession()
        session.server.misbehave(.badSignature)
        let (refreshed, dropped) = try Self.refreshed(
            await session.connection.refresh(session.credential, in: OpenIDSession.context))
        #expect(refreshed.pendingVerification != nil && dropped == nil)
        let verification = try await session.connection.verify(refreshed, in: OpenIDSession.context)
        if case .verified = verification { Issue.record("verified") }
        await session.server.stop()
    }

    @Test(
        "Whatever else is wrong with it costs the ID token alone: the rotated session stays, with the ID token it had",
        arguments: [
            (Misbehaviour.expired, "id_token_expired"), (.refreshedAuthenticationTime, "id_token_auth_time_mismatch"),
            (.truncatedToken, "jwt_malformed"), (.encryptedToken, "jwt_encrypted"), (.nestedToken, "jwt_nested"),
            (.duplicateClaims, "jwt_duplicate_member"), (.unknownAlgorithm, "jwt_unaccepted_algorithm"),
            (.hmacWithPublicKey, "jwt_unaccepted_algorithm"), (.criticalHeader, "jwt_critical_extension"),
            (.unknownKeyID, "jwt_key_not_found"), (.numericKeyID, "jwt_malformed"),
            (.wrongAccessTokenHash, "id_token_at_hash_mismatch"), (.accessTokenAsIDToken, "id_token_wrong_type"),
            (.wrongAuthorizedParty, "id_token_azp_mismatch"), (.missingIssuer, "id_token_iss_missing"),
            (.missingSubject, "id_token_sub_missing"), (.missingAudience, "id_token_aud_missing"),
            (.issuedInFuture, "id_token_iat_in_future"), (.datesAsText, "id_token_malformed_claim"),
        ])
    func dropped(misbehaviour: Misbehaviour, code: String) async throws {
        let session = try await OpenIDSession()
        session.server.misbehave(misbehaviour)
        let (refreshed, dropped) = try Self.refreshed(await session.refresh())
        #expect(dropped?.identityFailureCode == code)
        #expect(refreshed.idToken == session.credential.idToken)
        #expect(refreshed.refreshToken != session.credential.refreshToken)
        #expect(refreshed.accessToken != session.credential.accessToken)
        await session.server.stop()
    }

    @Test("None at all is usual, and nothing is dropped")
    func absent() async throws {
        let session = try await OpenIDSession()
        session.server.vary(.noRefreshedIDToken)
        let (refreshed, dropped) = try Self.refreshed(await session.refresh())
        #expect(dropped == nil)
        #expect(refreshed.idToken == session.credential.idToken)
        await session.server.stop()
    }

    @Test("Keys out of reach cost the ID token alone")
    func keysOutOfReach() async throws {
        let session = try await OpenIDSession()
        // The key is a new one, so the set must be fetched again.
        session.server.vary(.rotatesBeforeSigning)
        session.server.http.fail(.answer(.text("busy", status: 503)), pathPrefix: "/jwks")
        let (refreshed, dropped) = try Self.refreshed(await session.refresh())
        #expect(dropped?.identityFailureCode == "answer_failed_status")
        #expect(refreshed.idToken == session.credential.idToken)
        #expect(refreshed.refreshToken != session.credential.refreshToken)
        await session.server.stop()
    }

    @Test("Another person's token is told from an old one, also when it is both")
    func foreignAndExpired() async throws {
        let session = try await OpenIDSession()
        session.server.misbehave(.expired)
        session.server.misbehave(.refreshedSubject)
        #expect(await session.outcome() == .refused)
        await session.server.stop()
    }

    @Test("Without an ID token of the session, the person it remembers is the one who counts")
    func rememberedSubject() async throws {
        for (subject, outcome) in [
            (nil, RefreshOutcome.refreshed), ("248289761001", .refreshed), ("another", .refused),
        ] {
            let session = try await OpenIDSession()
            var credential = session.credential
            credential.idToken = nil
            credential.details[SessionSubject.detail] = subject.map { .string($0) }
            #expect(RefreshOutcome(try await session.refresh(credential)) == outcome)
            await session.server.stop()
        }
    }

    @Test("An ID token of the session that is no JWT, as another library may have stored it, is no obstacle")
    func unreadablePrevious() async throws {
        let session = try await OpenIDSession()
        var credential = session.credential
        credential.idToken = "opaque"
        let (refreshed, dropped) = try Self.refreshed(await session.refresh(credential))
        #expect(dropped == nil)
        #expect(refreshed.idToken != "opaque")
        await session.server.stop()
    }

    private static func refreshed(_ answer: RefreshResult) throws -> (Credential, (any Error)?) {
        guard case .refreshed(let credential, let dropped, _) = answer else {
            Issue.record("not refreshed: \(answer)")
            throw CancellationError()
        }
        return (credential, dropped)
    }
}
