import Foundation
import IdentityKit
import IdentityTesting
import IdentityOAuth
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Device polling (RFC 8628 section 3.5)", .endsInTime)
struct DevicePollingTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    private func authorization(interval: Int = 5, expiresIn: Int = 600, at date: Date) throws -> DeviceAuthorization {
        let (data, response) = try httpResponse(
            """
            {"device_code":"d","user_code":"U","verification_uri":"https://id.example/d",
             "expires_in":\(expiresIn),"interval":\(interval)}
            """)
        return try DeviceAuthorizationRequest(
            deviceAuthorizationEndpoint: .known("https://id.example/device"), client: OAuthClient(id: "app"),
            scopes: ["openid"]
        ).response(from: data, response, receivedAt: date)
    }

    private func refusal(_ error: OAuthErrorCode, retryAfter: Duration? = nil) -> OAuthError {
        .refused(ErrorResponse(error: error, status: 400, retryAfter: retryAfter))
    }

    @Test("the first question and every further one wait for the interval")
    func interval() throws {
        var polling = DevicePolling(try authorization(at: start), startedAt: start)
        #expect(polling.step(at: start) == .wait(.seconds(5)))
        #expect(polling.step(at: start + 4) == .wait(.seconds(1)))
        #expect(polling.step(at: start + 9) == .wait(.zero))
        try polling.record(refusal(.authorizationPending), at: start + 6)
        #expect(polling.step(at: start + 6) == .wait(.seconds(5)))
    }

    @Test("slow_down adds five seconds for good")
    func slowDown() throws {
        var polling = DevicePolling(try authorization(at: start), startedAt: start)
        try polling.record(refusal(.slowDown), at: start + 5)
        #expect(polling.step(at: start + 5) == .wait(.seconds(10)))
        try polling.record(refusal(.authorizationPending), at: start + 15)
        #expect(polling.step(at: start + 15) == .wait(.seconds(10)))
        try polling.record(refusal(.slowDown), at: start + 25)
        #expect(polling.step(at: start + 25) == .wait(.seconds(15)))
    }

    @Test("Retry-After of a busy server lengthens one pause, too")
    func retryAfterFailure() throws {
        let busy = OAuthError.invalidResponse(.asksToWait(503, .seconds(90)), host: "id.example")
        let refused = OAuthError.refused(
            ErrorResponse(error: .temporarilyUnavailable, status: 503, retryAfter: .seconds(90)))
        for failure in [busy, refused] {
            var polling = DevicePolling(try authorization(at: start), startedAt: start)
            try polling.record(failure, at: start)
            #expect(polling.step(at: start) == .wait(.seconds(90)))
        }
    }

    @Test("Retry-After lengthens one pause")
    func retryAfter() throws {
        var polling = DevicePolling(try authorization(at: start), startedAt: start)
        try polling.record(refusal(.slowDown, retryAfter: .seconds(60)), at: start)
        #expect(polling.step(at: start) == .wait(.seconds(60)))
        try polling.record(refusal(.authorizationPending), at: start)
        #expect(polling.step(at: start) == .wait(.seconds(10)))
    }

    @Test("a network that fails is asked more and more rarely")
    func backoff() throws {
        var polling = DevicePolling(try authorization(expiresIn: 86_400, at: start), startedAt: start)
        var steps: [DevicePolling.Step] = []
        for _ in 0..<8 {
            try polling.record(TransportError.timedOut(host: "id.example", after: .seconds(30)), at: start)
            steps.append(polling.step(at: start))
        }
        #expect(steps == [10, 20, 40, 80, 160, 300, 300, 300].map { .wait(.seconds($0)) })
    }

    @Test("no question is asked that would come after the codes expired")
    func expiry() throws {
        var polling = DevicePolling(try authorization(interval: 5, expiresIn: 12, at: start), startedAt: start)
        try polling.record(refusal(.authorizationPending), at: start + 5)
        #expect(polling.step(at: start + 5) == .wait(.seconds(5)))
        try polling.record(refusal(.authorizationPending), at: start + 10)
        #expect(polling.step(at: start + 10) == .giveUp)
        #expect(
            DevicePolling(try authorization(interval: 5, expiresIn: 3, at: start), startedAt: start).step(at: start)
                == .giveUp)
    }

    @Test(
        "A decision ends the polling",
        arguments: [
            OAuthErrorCode.accessDenied, .expiredToken, .invalidClient, .invalidGrant, .unauthorizedClient,
            "authorization_declined",
        ])
    func decisions(error: OAuthErrorCode) throws {
        var polling = DevicePolling(try authorization(at: start), startedAt: start)
        #expect(throws: refusal(error)) { try polling.record(refusal(error), at: start) }
        #expect(throws: CancellationError.self) { try polling.record(CancellationError(), at: start) }
    }

    /// Responds from a script and records the times of the requests.
    private actor ScriptedServer: HTTPTransport {
        private var script: [(status: Int, body: String)]
        private let clock: ManualClock
        private(set) var askedAt: [Date] = []

        init(_ script: [(status: Int, body: String)], clock: ManualClock) {
            self.script = script
            self.clock = clock
        }

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            askedAt.append(clock.now)
            let next = script.removeFirst()
            return try httpResponse(next.body, status: next.status)
        }
    }

    @Test("the person takes a while, and the tokens come")
    func waiting() async throws {
        let clock = ManualClock()
        let server = ScriptedServer(
            [
                (400, #"{"error":"authorization_pending"}"#), (400, #"{"error":"slow_down"}"#), (503, "<html>"),
                (200, #"{"access_token":"a","token_type":"bearer"}"#),
            ], clock: clock)
        let started = clock.now
        let authorization = try authorization(at: started)
        let task = Task {
            try await authorization.waitForTokens(
                tokenEndpoint: .known("https://id.example/token"), client: OAuthClient(id: "app"), using: server,
                time: clock.timeSource)
        }
        for pause in [5, 5, 10, 20] {
            while clock.sleeperCount == 0 { await Task.yield() }
            clock.advance(by: .seconds(pause))
        }
        let response = try await task.value
        #expect(response.accessToken == "a")
        #expect(response.scopes == ["openid"])
        #expect(await server.askedAt.map { $0.timeIntervalSince(started) } == [5, 10, 20, 40])
    }

    @Test("the end of a sign-in names what the server said", arguments: [true, false])
    func words(isDecision: Bool) async throws {
        let clock = ManualClock()
        let said = #""error_description":"Ask Grace first""#
        let server = ScriptedServer(
            [isDecision ? (400, #"{"error":"declined",\#(said)}"#) : (503, #"{"error":"server_error",\#(said)}"#)],
            clock: clock)
        let authorization = try authorization(expiresIn: 8, at: clock.now)
        let task = Task {
            try await authorization.waitForTokens(
                tokenEndpoint: .known("https://id.example/token"), client: OAuthClient(id: "app"), using: server,
                time: clock.timeSource)
        }
        while clock.sleeperCount == 0 { await Task.yield() }
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: OAuthError.self) { try await task.value }
        #expect(error?.failureCode == (isDecision ? "declined" : "expired_token"))
        #expect(error?.message.contains("The server says: \"Ask Grace first\".") == true)
    }

    @Test("the code is not entered")
    func nobodyComes() async throws {
        let clock = ManualClock()
        let server = ScriptedServer([(400, #"{"error":"authorization_pending"}"#)], clock: clock)
        let authorization = try authorization(expiresIn: 8, at: clock.now)
        let task = Task {
            try await authorization.waitForTokens(
                tokenEndpoint: .known("https://id.example/token"), client: OAuthClient(id: "app"), using: server,
                time: clock.timeSource)
        }
        while clock.sleeperCount == 0 { await Task.yield() }
        clock.advance(by: .seconds(5))
        await #expect(throws: OAuthError.refused(ErrorResponse(error: .expiredToken))) { try await task.value }
    }
}
