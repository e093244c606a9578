import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import TestSupport
import Testing
import ThunderID

@Suite(.endsInTime) struct ClientUserTests {
    @Test("The profile is the user's own record, and the page's address is asked once")
    func profile() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        for _ in 0..<2 {
            let profile = try await fixture.client.getUserProfile()
            #expect(profile.id == fixture.server.user.id)
            #expect(profile.claims["email"]?.value as? String == "ada@example.org")
            #expect(profile.claims["username"]?.value as? String == "ada")
        }
        #expect(fixture.wire.requests(to: "/scim2/Me").count == 1)
        #expect(fixture.wire.requests(to: "/users/me").count == 2)
        await fixture.server.stop()
    }

    @Test("A server with SCIM is asked there")
    func scim() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let record: JSONValue = ["id": "scim-id", "userName": "ada", "emails": [["value": "ada@example.org"]]]
        fixture.server.http.fail(.answer(.json(record)), pathPrefix: "/scim2/Me", times: 4)
        let profile = try await fixture.client.getUserProfile()
        #expect(profile.id == "scim-id" && profile.claims["userName"]?.value as? String == "ada")
        try await fixture.client.updateUserProfile(payload: ["nickName": "Countess"])
        let put = try #require(fixture.wire.requests(to: "/scim2/Me").last)
        #expect(put.method == "PUT")
        #expect(put.json?["nickName"] == "Countess" && put.json?["userName"] == "ada")
        #expect(fixture.wire.requests(to: "/users/me").isEmpty)
        await fixture.server.stop()
    }

    @Test("Another user's record is below SCIM's users, where the server has SCIM")
    func scimUser() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let record: JSONValue = ["id": "u-2", "userName": "eva"]
        fixture.server.http.fail(.answer(.json(record)), pathPrefix: "/scim2/Users/u-2", times: 2)
        let user = try await fixture.client.updateUserProfile(payload: ["nickName": "Eve"], userId: "u-2")
        #expect(user.sub == "u-2")
        let calls = fixture.wire.requests(to: "/scim2/Users/u-2")
        #expect(calls.map(\.method) == ["GET", "PUT"] && calls.last?.json?["nickName"] == "Eve")
        #expect(fixture.wire.requests(to: "/users/u-2").isEmpty)
        await fixture.server.stop()
    }

    @Test("An update changes what it names and nothing else, and the user is the new one from then on")
    func update() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let user = try await fixture.client.updateUserProfile(
            payload: ["given_name": "Augusta", "family_name": NSNull(), "mobile_number": "+44"])
        #expect(user.claims?["given_name"]?.value as? String == "Augusta")
        #expect(user.email == "ada@example.org")
        let profile = try await fixture.client.getUserProfile()
        #expect(profile.claims["given_name"]?.value as? String == "Augusta")
        #expect(profile.claims["family_name"] == nil && profile.claims["email"]?.value as? String == "ada@example.org")
        #expect(try await fixture.client.getUser().claims?["given_name"]?.value as? String == "Augusta")
        await fixture.server.stop()
    }

    @Test("A value the server does not accept is an input error, and a stolen address is one too")
    func refusedUpdate() async throws {
        let grace = LocalThunderIDServer.User(
            id: "01900000-0000-7000-8000-0000000000b2", username: "grace", attributes: ["email": "grace@example.org"])
        let fixture = try await ClientFixture(configuration: .init(additionalUsers: [grace]))
        try await fixture.signIn()
        let malformed = await iamError { try await fixture.client.updateUserProfile(payload: ["email": "38"]) }
        #expect(malformed?.code == .invalidInput && malformed?.serverCode == "USR-1019")
        let taken = await iamError {
            try await fixture.client.updateUserProfile(payload: ["email": "grace@example.org"])
        }
        #expect(taken?.code == .invalidInput && taken?.serverCode == "USR-1014")
        #expect(try await fixture.client.getUser().email == "ada@example.org")
        await fixture.server.stop()
    }

    @Test("Another user's record is not a user's to change; an identifier that is an address is none")
    func otherUser() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        for identifier in ["../applications", "a/b", "", "a?b", "%2e%2e"] {
            let error = await iamError {
                try await fixture.client.updateUserProfile(payload: ["given_name": "x"], userId: identifier)
            }
            #expect(error?.code == .invalidInput)
        }
        await #expect(throws: IAMError.self) {
            try await fixture.client.updateUserProfile(payload: ["given_name": "x"], userId: "somebody-else")
        }
        let own = try await fixture.client.updateUserProfile(
            payload: ["given_name": "Own"], userId: fixture.server.user.id)
        #expect(own.claims?["given_name"]?.value as? String == "Own")
        await fixture.server.stop()
    }

    @Test("The next person who signs in is returned, whatever was known before")
    func nextUser() async throws {
        let grace = LocalThunderIDServer.User(
            id: "01900000-0000-7000-8000-0000000000b2", username: "grace", attributes: ["email": "grace@example.org"])
        let fixture = try await ClientFixture(configuration: .init(additionalUsers: [grace]))
        try await fixture.signIn()
        try await fixture.client.updateUserProfile(payload: ["given_name": "Augusta"])
        try await fixture.signIn(nil, ["username": "grace", "password": grace.password.reveal()])
        let user = try await fixture.client.getUser()
        #expect(user.sub == grace.id && user.claims?["given_name"] == nil)
        await fixture.server.stop()
    }

    @Test(
        "The person is the same before and after their record was read, whatever the tokens say",
        arguments: [["username", "email", "given_name", "family_name"], ["username"], []],
        [["email", "given_name", "family_name", "name"], []])
    func everyOrder(accessToken: [String], idToken: [String]) async throws {
        for isNative in [true, false] {
            let fixture = try await ClientFixture(
                configuration: .init {
                    $0.application.accessTokenAttributes = accessToken
                    $0.application.idTokenAttributes = idToken
                })
            if isNative { try await fixture.signIn() } else { try await fixture.signInByRedirect() }
            let before = try await fixture.client.getUser()
            #expect(before.username == "ada" && before.email == "ada@example.org")
            #expect(before.displayName == "Ada Lovelace" && before.sub == fixture.server.user.id)
            _ = try await fixture.client.getUserProfile()
            let after = try await fixture.client.getUser()
            let restarted = try await fixture.restarted().getUser()
            for user in [after, restarted] {
                #expect(user.username == before.username && user.email == before.email)
                #expect(user.displayName == before.displayName && user.profilePicture == before.profilePicture)
            }
            await fixture.server.stop()
        }
    }

    @Test("Tokens that say enough cost no request")
    func noRequest() async throws {
        let fixture = try await ClientFixture(
            configuration: .init { $0.application.idTokenAttributes = [] })
        try await fixture.signIn()
        #expect(try await fixture.client.getUser().username == "ada")
        #expect(fixture.wire.requests(to: "/users/me").isEmpty)
        #expect(fixture.wire.requests(to: "/oauth2/userinfo").isEmpty)
        await fixture.server.stop()
    }

    @Test("A server whose records have other names is asked at userinfo, and once more with a newer token after a 401")
    func userInfo() async throws {
        let fixture = try await ClientFixture(
            configuration: .init { $0.application.accessTokenAttributes = [] })
        fixture.server.http.fail(.answer(.text("", status: 404)), pathPrefix: "/users/me", times: 9)
        try await fixture.signIn()
        fixture.clock.advance(by: .seconds(1))
        let refusal = LocalResponse.json(["error": "invalid_token"], status: 401)
        fixture.server.http.fail(.answer(refusal), pathPrefix: "/oauth2/userinfo")
        let user = try await fixture.client.getUser()
        #expect(user.email == "ada@example.org" && user.sub == fixture.server.user.id)
        #expect(fixture.wire.requests(to: "/oauth2/userinfo").map(\.status) == [401, 200])
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test("A record that cannot be read now is asked for again, whatever userinfo says meanwhile")
    func passingFailure() async throws {
        let fixture = try await ClientFixture(
            configuration: .init {
                ($0.application.accessTokenAttributes, $0.application.idTokenAttributes) = ([], [])
            })
        fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: "/users/me", times: 2)
        try await fixture.signIn()
        #expect(try await fixture.client.getUser().username == nil)
        #expect(fixture.wire.requests(to: "/oauth2/userinfo").map(\.status) == [200])
        #expect(try await fixture.client.getUser().username == "ada")
        #expect(fixture.wire.requests(to: "/users/me").map(\.status) == [503, 503, 200])
        await fixture.server.stop()
    }

    @Test("A refresh that has to wait does not hide what the tokens tell of a person")
    func postponedRefresh() async throws {
        let fixture = try await ClientFixture(
            configuration: .init {
                ($0.application.accessTokenAttributes, $0.application.idTokenAttributes) = (["username"], [])
            })
        fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: "/users/me")
        try await fixture.signIn()
        fixture.clock.advance(by: .seconds(3600))
        let failure = LocalResponse.json(["error": "server_error"], status: 500)
        fixture.server.http.fail(.answer(failure), pathPrefix: "/oauth2/token", times: .max)
        for _ in 0..<3 { #expect(try await fixture.client.getUser().username == "ada") }
        await fixture.server.stop()
    }

    @Test("A record that was read or saved is no failure when the store cannot be read then")
    func lockedAfterwards() async throws {
        let (fixture, store) = (try await ClientFixture(), FaultyTokenStore())
        let client = ThunderIDClient(
            environment: IdentityEnvironment(store: store, transport: fixture.wire, time: fixture.clock.dates))
        try await client.initialize(config: fixture.config())
        try await fixture.signIn(client)
        _ = try await client.getUserProfile()
        for isSaved in [false, true] {
            let (first, last) = (AnswerGate(), AnswerGate())
            first.open()
            // A change is a request for the record, and one that replaces it.
            if isSaved { fixture.server.http.fail(.holdAnswer(first), pathPrefix: "/users/me") }
            fixture.server.http.fail(.holdAnswer(last), pathPrefix: "/users/me")
            let call = Task {
                isSaved
                    ? try await client.updateUserProfile(payload: ["given_name": "Augusta"]).sub
                    : try await client.getUserProfile().id
            }
            await last.waitForAnswer()
            store.fail(.read, with: TokenStoreError.locked(detail: "The device is locked."))
            last.open()
            #expect(try await call.value == fixture.server.user.id)
            store.heal()
        }
        await fixture.server.stop()
    }

    @Test("That a server has no SCIM is remembered by the next client on the same storage, for a month")
    func rememberedSCIM() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        for _ in 0..<3 { _ = try await fixture.restarted().getUserProfile() }
        #expect(fixture.wire.requests(to: "/scim2/Me").count == 1)
        fixture.clock.advance(by: .seconds(31 * 86_400))
        try await fixture.signIn()
        _ = try await fixture.restarted().getUserProfile()
        #expect(fixture.wire.requests(to: "/scim2/Me").count == 2)
        await fixture.server.stop()
    }

    @Test("A failure where SCIM would be is not remembered as its absence")
    func failingSCIM() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: "/scim2/Me")
        _ = try await fixture.client.getUserProfile()
        _ = try await fixture.restarted().getUserProfile()
        #expect(fixture.wire.requests(to: "/scim2/Me").map(\.status) == [503, 403])
        await fixture.server.stop()
    }

    @Test("Of two first calls at the same time, both find that the server has no SCIM")
    func concurrentFirstCalls() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let gate = AnswerGate()
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/scim2/Me")
        let late = Task { try await fixture.client.getUserProfile().id }
        await gate.waitForAnswer()
        #expect(try await fixture.client.getUserProfile().id == fixture.server.user.id)
        gate.open()
        #expect(try await late.value == fixture.server.user.id)
        await fixture.server.stop()
    }

    @Test("A gateway that answers for the server now decides nothing, whatever its code")
    func gateway() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        for (status, code) in [(429, IAMErrorCode.serverError), (503, .serverError), (400, .unknownError)] {
            let refusal = LocalResponse.json(["code": "UPSTREAM", "message": "Not now."], status: status)
            fixture.server.http.fail(.answer(refusal), pathPrefix: "/users/me")
            #expect(await iamError { try await fixture.client.getUserProfile() }?.code == code, "\(status)")
        }
        await fixture.server.stop()
    }

    @Test("Without the scope openid there is no ID token, and the person is known all the same")
    func withoutIDToken() async throws {
        let fixture = try await ClientFixture { $0.scopes = ["profile"] }
        let user = try await fixture.signInByRedirect()
        #expect(user.sub == fixture.server.user.id && user.username == "ada")
        #expect(fixture.wire.requests(to: "/oauth2/userinfo").isEmpty)
        await fixture.server.stop()
    }

    @Test("A server that says nothing about the person now does not undo a sign-in")
    func silentServer() async throws {
        let fixture = try await ClientFixture(configuration: .init { $0.application.accessTokenAttributes = [] }) {
            $0.scopes = ["profile"]
        }
        let callback = try await fixture.visit(fixture.client.buildSignInURL())
        fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: "/users/me", times: 2)
        #expect(try await fixture.client.handleRedirectCallback(url: callback) == User(sub: fixture.server.user.id))
        #expect(try await fixture.client.isSignedIn())
        await fixture.server.stop()
    }

    @Test("Without a session there is an error of its own")
    func nobody() async throws {
        let fixture = try await ClientFixture()
        #expect(await iamError { try await fixture.client.getUser() }?.code == .sessionExpired)
        #expect(await iamError { try await fixture.client.getUserProfile() }?.code == .sessionExpired)
        #expect(fixture.wire.requests(to: "/users/me").isEmpty)
        await fixture.server.stop()
    }

    @Test("A token the server stopped accepting is replaced once")
    func staleToken() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        _ = try await fixture.client.getUserProfile()
        let refusal: JSONValue = [
            "code": "AUTH-4010", "message": ["key": "error.auth.unauthorized", "defaultValue": "Unauthorized"],
        ]
        fixture.server.http.fail(.answer(.json(refusal, status: 401)), pathPrefix: "/users/me")
        #expect(try await fixture.client.getUserProfile().id == fixture.server.user.id)
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }
}
