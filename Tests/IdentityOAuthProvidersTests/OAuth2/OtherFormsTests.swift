import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityOAuth
import Testing

/// Servers that write what RFC 6749 writes otherwise, so that each needs its setting.
@Suite struct OtherFormsTests {
    typealias Server = LocalOpenIDConnectServer

    /// How a server differs, the setting for it, and the code of the failure without it.
    struct Form: Sendable, CustomTestStringConvertible {
        let variation: Server.Variation?
        var misbehaviour: Server.Misbehaviour?
        let setting: [String: JSONValue]
        let code: String

        var testDescription: String { variation?.rawValue ?? misbehaviour?.rawValue ?? "" }
    }

    static let forms = [
        Form(
            variation: .nestedTokens, setting: ["tokenResponse": ["memberPath": "authed_user"]],
            code: "answer_token_elsewhere"),
        Form(
            variation: .commaSeparatedScopes,
            setting: ["scopeSeparator": ",", "tokenResponse": ["scopeSeparator": ","]], code: "invalid_scope"),
        Form(
            variation: .listedScopes, setting: ["tokenResponse": ["scopesAreList": true]],
            code: "answer_invalid_member"),
        Form(
            variation: .noCodeChallenge, setting: ["usesCodeChallenge": false],
            code: "metadata_missing_code_challenge_method"),
        Form(
            variation: nil, misbehaviour: .missingTokenType, setting: ["tokenResponse": ["assumesBearer": true]],
            code: "answer_missing_member"),
        Form(
            variation: nil, misbehaviour: .unknownTokenType, setting: ["tokenResponse": ["assumesBearer": true]],
            code: "answer_unsupported_token_type"),
    ]

    @Test(
        "A form that the setting names is read, at the sign-in and at a refresh; otherwise it is refused",
        arguments: forms)
    func form(form: Form) async throws {
        let fixture = try await OAuth2Fixture()
        if let variation = form.variation { fixture.server.vary(variation) }
        if let misbehaviour = form.misbehaviour { fixture.server.misbehave(misbehaviour) }
        let common: [String: JSONValue] = ["scopes": ["read", "write"], "endpoints": nil]
        let error = await #expect(throws: OAuthError.self) { try await fixture.signedIn(common) }
        #expect(error?.failureCode == form.code)
        #expect(try await fixture.credential == nil)

        let provider = try await fixture.signedIn(common.merging(form.setting) { $1 })
        #expect(try await fixture.credential?.scopes == ["read", "write"])
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: ["read", "write"])
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test("The token response says who signed in")
    func owner() async throws {
        let fixture = try await OAuth2Fixture()
        fixture.server.vary(.ownerInTokens)
        let provider = try await fixture.signedIn([
            "account": ["identifier": "owner.user.id", "username": "owner.user.name"]
        ])
        #expect(try await fixture.credential?.profile?.username == "ada")
        #expect(fixture.requests(to: "/api/resource").isEmpty)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(try await fixture.credential?.profile?.username == "ada")
        await fixture.server.stop()
    }

    @Test("An ID token that cannot be verified is refused, and left unread where the setting says so")
    func unverifiableIDToken() async throws {
        let fixture = try await OAuth2Fixture()
        fixture.server.misbehave(.missingNonce)
        let common: [String: JSONValue] = ["scopes": ["openid", "read"], "endpoints": nil]
        await #expect(throws: OAuthError.self) { try await fixture.signedIn(common) }
        #expect(try await fixture.credential == nil)
        let provider = try await fixture.signedIn(
            common.merging(["tokenResponse": ["ignoresIDToken": true]]) { $1 })
        #expect(try await fixture.credential?.idToken == nil)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: ["read"])
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test("An error with status 200 is an error", arguments: [false, true])
    func errorsWithStatusOK(isForm: Bool) async throws {
        let fixture = try await OAuth2Fixture()
        fixture.server.vary(.errorsWithStatusOK)
        let settings: [String: JSONValue] = isForm ? ["tokenResponse": ["encoding": "form"]] : [:]
        if isForm { fixture.server.vary(.formEncodedTokens) }
        let provider = try await fixture.signedIn(settings)
        fixture.server.revokeTokens(ofUser: fixture.server.user.id)
        fixture.clock.advance(by: .seconds(3600))
        let error = await #expect(throws: SessionError.self) {
            try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect(error?.failureCode == "session_ended")
        await fixture.server.stop()
    }

    @Test(
        "GitHub's word for a code that is no good asks for another sign-in, in JSON and in a form",
        arguments: [false, true])
    func badCode(isForm: Bool) async throws {
        let fixture = try await OAuth2Fixture()
        let word = "bad_verification_code"
        let response =
            isForm
            ? LocalResponse(
                status: 200, headers: [("Content-Type", FormEncoding.contentType)], body: Data("error=\(word)".utf8))
            : .json(["error": .string(word), "error_description": "The code passed is incorrect or expired."])
        fixture.server.http.fail(.answer(response), pathPrefix: "/token")
        let error = await #expect(throws: OAuthError.self) {
            try await fixture.signedIn(isForm ? ["tokenResponse": ["encoding": "form"]] : [:])
        }
        #expect(error?.failureCode == "invalid_grant" && error?.identityFailureClass == .definitive)
        #expect(error?.message.contains("Sign in again") == true)
        await fixture.server.stop()
    }

    @Test("A session ends with a refresh token that expires, and not before its access token")
    func refreshTokenLifetime() async throws {
        let fixture = try await OAuth2Fixture {
            $0.accessTokenLifetime = .seconds(600)
            $0.refreshTokenLifetime = .seconds(900)
        }
        fixture.server.vary(.refreshTokenLifetime)
        let provider = try await fixture.signedIn()
        let first = try await fixture.credential
        #expect(first?.sessionEndsAt == fixture.clock.now + 900)
        fixture.clock.advance(by: .seconds(600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        // The server keeps the end of the first one, which the new access token outlives.
        #expect(try await fixture.credential?.sessionEndsAt == fixture.clock.now + 600)
        fixture.clock.advance(by: .seconds(600))
        let requests = fixture.requests(to: "/token").count
        let found = try await provider.silentAccount(scopes: [], deviceToken: "d")
        #expect(found.account == nil)
        #expect(fixture.requests(to: "/token").count == requests)
        await fixture.server.stop()
    }

    @Test("A form that is broken, or names a field twice, is no token response")
    func brokenForms() async throws {
        for (body, code) in [
            ("access_token=%zz&token_type=bearer", "answer_malformed_form"),
            ("access_token=a&access_token=b&token_type=bearer", "answer_duplicate_member"),
            ("error=incorrect_client_credentials", "incorrect_client_credentials"),
        ] {
            let fixture = try await OAuth2Fixture()
            fixture.server.http.fail(
                .answer(
                    LocalResponse(
                        status: 200, headers: [("Content-Type", "application/x-www-form-urlencoded")],
                        body: Data(body.utf8))), pathPrefix: "/token")
            let error = await #expect(throws: OAuthError.self) {
                try await fixture.signedIn(["tokenResponse": ["encoding": "form"]])
            }
            #expect(error?.failureCode == code)
            await fixture.server.stop()
        }
    }
}
