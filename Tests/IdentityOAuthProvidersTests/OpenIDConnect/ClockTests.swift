import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import Testing

/// This machine's clock is wrong, by an hour or by ten years, and the server sends its own time or does not: no session
/// ends by that, and no request is sent in a loop.
@Suite struct ClockTests {
    static let offsets: [TimeInterval] = [3700, -3700, 10 * 365 * 86_400, -10 * 365 * 86_400]

    private func fixture(omitsDate: Bool) async throws -> OpenIDFixture {
        let fixture = try await OpenIDFixture()
        fixture.server.http.standingFaults.omitsDate = omitsDate
        return fixture
    }

    /// A machine whose clock is off by so many seconds.
    private func time(_ fixture: OpenIDFixture, _ offset: Locked<TimeInterval>) -> TimeSource {
        fixture.clock.dates { offset.withLock { $0 } }
    }

    @Test(
        "A client that proves itself by assertions signs in and refreshes with a clock that is wrong all the time",
        arguments: offsets)
    func assertions(offset: TimeInterval) async throws {
        let key = try SigningKey(keyID: "app-1")
        let fixture = try await OpenIDFixture {
            $0.clients = [.init(id: "an app", authentication: .privateKeyJWT([.object(key.publicKey.members)]))]
        }
        let provider = fixture.provider(time: time(fixture, Locked(offset))) {
            $0.clientID = "an app"
            $0.authentication = .privateKeyJWT(ClientAssertion(key: key, audience: $0.issuer))
        }
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        // The first assertion is refused, and tells the time for all that follow.
        #expect(fixture.requests(to: "/token") == 2)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: account, scopes: [])
        #expect(fixture.requests(to: "/token") == 3)
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test(
        "A client that binds its tokens signs in and refreshes with a clock that is wrong all the time",
        arguments: offsets, [false, true])
    func bound(offset: TimeInterval, requiresNonces: Bool) async throws {
        let fixture = try await OpenIDFixture { $0.requiresDPoPNonces = requiresNonces }
        let time = time(fixture, Locked(offset))
        let party = try await fixture.relyingParty(dpop: DPoPProver(key: SigningKey(), time: time), time: time)
        let request = try party.authorizationRequest(
            redirectURI: #require(URL(string: OpenIDFixture.redirectURI)), scopes: ["openid"])
        let tokens = try await party.redeem(fixture.login.signIn(at: party.url(for: request)), for: request.pending)
        #expect(tokens.response.tokenType == .dpop)
        #expect(fixture.requests(to: "/token") == 2)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await party.refresh(
            #require(tokens.response.refreshToken), previousIDToken: tokens.response.idToken)
        #expect(fixture.requests(to: "/token") == 3)
        await fixture.server.stop()
    }

    @Test("A person signs in on another device with a wrong clock", arguments: offsets, [false, true])
    func device(offset: TimeInterval, omitsDate: Bool) async throws {
        let fixture = try await fixture(omitsDate: omitsDate)
        // Waiting is what moves the clock.
        let time = TimeSource(
            now: { [clock = fixture.clock] in clock.now + offset },
            sleep: { [clock = fixture.clock] in clock.advance(by: $0) })
        let presenter = DecidingPresenter(login: fixture.login)
        let provider = fixture.provider(presenter: presenter, time: time) { $0.method = .device }
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        await fixture.server.stop()
    }

}

/// A person who decides at once.
private struct DecidingPresenter: DeviceCodePresenter {
    let login: ScriptedLogin

    func show(_ code: DeviceCode) async throws {
        try await login.decideOnDevice(at: code.verificationURI, userCode: code.userCode)
    }
}
