import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How people know an account, whatever way it was signed in.
@Suite struct ProfileTests {
    private static let ada = AccountProfile(
        displayName: "Ada Lovelace", email: "ada@example.org", username: "ada",
        picture: URL(string: "https://pictures.example/ada.png"))

    private static let person = LocalThunderIDServer.User(attributes: [
        "email": "ada@example.org", "given_name": "Ada", "family_name": "Lovelace", "name": "Ada Lovelace",
        "picture": "https://pictures.example/ada.png",
    ])

    private func fixture(tokensSay attributes: [String]) async throws -> ThunderIDFixture {
        try await ThunderIDFixture(
            configuration: .init {
                $0.user = Self.person
                $0.application.accessTokenAttributes = attributes
                $0.application.idTokenAttributes = attributes
                $0.application.assertionAttributes = attributes
            })
    }

    private static let everything = ["username", "email", "name", "picture"]

    @Test(
        "Every way to sign in fills it in, from the tokens or from the person's record, and refreshes keep it",
        arguments: ["native", "redirect", "assertion"], [everything, ["username"], []])
    func everyWay(way: String, attributes: [String]) async throws {
        let fixture = try await fixture(tokensSay: attributes)
        let provider = try fixture.provider(
            method: way == "redirect" ? .redirect : .native, clientID: way == "assertion" ? .some(nil) : nil,
            prompter: ScriptedPrompter(fixture.credentials), browser: fixture.browser)
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        #expect(try await fixture.stored()?.profile == Self.ada)
        #expect(fixture.requests(to: "/users/me") == (attributes == Self.everything ? 0 : 1))
        if way != "assertion" {
            fixture.clock.advance(by: .seconds(3600))
            _ = try await provider.accessToken(for: fixture.account, scopes: [])
            #expect(try await fixture.stored()?.profile == Self.ada)
        }
        #expect(fixture.requests(to: "/users/me") == (attributes == Self.everything ? 0 : 1))
        await fixture.server.stop()
    }

    @Test("A record that cannot be read undoes no sign-in")
    func silentRecord() async throws {
        let fixture = try await fixture(tokensSay: ["username"])
        fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: "/users/me")
        _ = try await fixture.signedIn()
        #expect(try await fixture.stored()?.profile == AccountProfile(username: "ada"))
        await fixture.server.stop()
    }

    /// Never gives the person's record; the clock moves on as soon as a task waits for it.
    private struct SilentDirectory: HTTPTransport {
        let clock: ManualClock

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            if request.url?.path == "/users/me" {
                while clock.sleeperCount == 0 { await Task.yield() }
                clock.advance(by: .seconds(5))
                try await Task.sleep(for: .seconds(3600))
            }
            return try await DefaultTransport.make().data(for: request)
        }
    }

    @Test("A record that does not come is waited for for five seconds", .endsInTime)
    func lateRecord() async throws {
        let fixture = try await fixture(tokensSay: ["username"])
        let provider = try fixture.provider(
            prompter: ScriptedPrompter(fixture.credentials), transport: SilentDirectory(clock: fixture.clock),
            time: fixture.clock.timeSource)
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        #expect(try await fixture.stored()?.profile == AccountProfile(username: "ada"))
        await fixture.server.stop()
    }

    @Test("A session without a profile gets one with its refresh")
    func formerSession() async throws {
        let fixture = try await fixture(tokensSay: Self.everything)
        _ = try await fixture.signedIn()
        var credential = try #require(try await fixture.stored())
        credential.profile = nil
        try await fixture.store(credential)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await fixture.provider().accessToken(for: fixture.account, scopes: [])
        #expect(try await fixture.stored()?.profile == Self.ada)
        await fixture.server.stop()
    }

    @Test("A picture is an address in the web, or none")
    func picture() async throws {
        for (picture, expected) in [
            ("avatar:ada", nil), ("javascript:alert(1)", nil), ("https://a.example/p", "https://a.example/p"),
        ] {
            let fixture = try await ThunderIDFixture(
                configuration: .init {
                    $0.user.attributes["picture"] = .string(picture)
                    $0.application.accessTokenAttributes = Self.everything
                })
            _ = try await fixture.signedIn()
            #expect(try await fixture.stored()?.profile?.picture?.absoluteString == expected)
            await fixture.server.stop()
        }
    }

    @Test("The documented client keeps it with the session, and an update changes it for the next client too")
    func documentedClient() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        try await fixture.client.updateUserProfile(payload: ["name": "Augusta King", "email": "king@example.org"])
        let user = try await fixture.restarted().getUser()
        #expect(user.displayName == "Augusta King" && user.email == "king@example.org" && user.username == "ada")
        fixture.clock.advance(by: .seconds(3600))
        let client = try await fixture.restarted()
        _ = try await client.getAccessToken()
        #expect(try await client.getUser().displayName == "Augusta King")
        await fixture.server.stop()
    }
}
