#if Observability
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

@Suite("Sign-ins and refreshes at a server are seen in logs, metrics and traces", .endsInTime)
struct ObservabilityTests {
    @Test("A refresh is logged, counted and measured")
    func refreshed() async throws {
        let app = try await ObservedApp()
        try await app.signInAndExpire()
        _ = try await app.token().get()
        await app.seen("refresh.stored", isMeasured: true)

        let line = try #require(app.logs.first("refresh.stored"))
        #expect(line.level == .info && line.message.hasPrefix("the session of \(app.account) was refreshed"))
        #expect(line.metadata["identity.account"] == app.account.id)
        #expect(line.metadata["identity.provider"] == "work")
        #expect(line.metadata["identity.error_code"] == nil)

        let dimensions = ["event": "refresh.stored", "provider": "work"]
        let count = try #require(app.metrics.values("identity.events", of: "refresh.stored").first)
        #expect(count.value == 1 && count.dimensions == dimensions)
        #expect(app.metrics.values("identity.refresh.duration", of: "refresh.stored").first?.dimensions == dimensions)

        let span = try #require(app.traces.first("refresh.stored"))
        #expect(span.name == "identity.refresh" && span.status == nil)
        #expect(span.attributes["identity.account"] == app.account.id)
        await app.server.stop()
    }

    @Test("A span is as long as the refresh took by the clock of the environment, and so is the value of the timer")
    func duration() async throws {
        let app = try await ObservedApp()
        try await app.signInAndExpire()
        let gate = AnswerGate()
        app.server.http.fail(.holdAnswer(gate), pathPrefix: "/token")
        async let token = app.token()
        await gate.waitForAnswer()
        app.clock.advance(by: .seconds(3))
        gate.open()
        _ = try await token.get()
        await app.seen("refresh.stored", isMeasured: true)
        let span = try #require(app.traces.first("refresh.stored"))
        #expect(span.end - span.start == 3_000_000_000)
        #expect(span.attributes["identity.duration_seconds"] == "3.0")
        let timer = app.metrics.values("identity.refresh.duration", of: "refresh.stored")
        #expect(timer.map(\.value) == [3_000_000_000])
        await app.server.stop()
    }

    @Test("A refused refresh is a warning and a span with an error")
    func refused() async throws {
        let app = try await ObservedApp()
        try await app.signInAndExpire()
        app.server.revokeAllFamilies()
        await #expect(throws: TokenFailure.self) { try await app.token().get() }
        await app.seen("refresh.refused", isMeasured: true)
        #expect(app.logs.first("refresh.refused")?.level == .warning)
        try expectError("session_ended", of: "refresh.refused", in: app)
        await app.server.stop()
    }

    @Test("A session that is over by the server's clock is refused as well")
    func expired() async throws {
        let app = try await ObservedApp()
        try await app.signInAndExpire()
        app.clock.advance(by: .seconds(60 * 86_400))
        await #expect(throws: TokenFailure.self) { try await app.token().get() }
        await app.seen("refresh.refused", isMeasured: true)
        try expectError("session_ended", of: "refresh.refused", in: app)
        await app.server.stop()
    }

    @Test("A failure of the store has its code everywhere")
    func storeFailure() async throws {
        let app = try await ObservedApp()
        try await app.signInAndExpire()
        app.store.fail(.read, in: .accounts, with: TokenStoreError.locked(detail: "d"))
        await #expect(throws: TokenFailure.self) { try await app.token().get() }
        await app.seen("store.failed")
        let line = try #require(app.logs.first("store.failed"))
        #expect(line.level == .warning && line.metadata["identity.collection"] == "accounts")
        #expect(line.metadata["identity.error_code"] == "store_locked")
        let count = try #require(app.metrics.values("identity.events", of: "store.failed").first)
        #expect(count.dimensions["error_code"] == "store_locked")
        await app.server.stop()
    }

    @Test("Neither tokens nor what a server's answer says of them are passed on, and metrics name no account")
    func secrets() async throws {
        let app = try await ObservedApp()
        try await app.signInAndExpire()
        let planted = "planted-secret-0123456789"
        let answer = LocalResponse.json(
            ["error": "server_error", "error_description": .string("refresh_token=\(planted)")], status: 500)
        app.server.http.fail(.answer(answer), pathPrefix: "/token", times: 1)
        await #expect(throws: TokenFailure.self) { try await app.token().get() }
        app.clock.advance(by: .seconds(3))
        let token = try await app.token().get()
        await app.seen("refresh.failed", isMeasured: true)
        await app.seen("refresh.stored", isMeasured: true)
        let everything = app.everything
        let record = try await app.store.record(for: .account(app.account))
        let stored = String(decoding: try #require(record?.content), as: UTF8.self)
        #expect(stored.contains(token), "the record has the tokens that are looked for")
        for secret in [planted, token, app.server.user.password.reveal()] {
            #expect(!everything.contains(secret))
        }
        #expect(!"\(app.metrics.values)".contains(app.account.account))
        await app.server.stop()
    }

    private func expectError(_ code: String, of event: String, in app: ObservedApp) throws {
        #expect(app.logs.first(event)?.metadata["identity.error_code"] == code)
        #expect(app.metrics.values("identity.events", of: event).first?.dimensions["error_code"] == code)
        let status = try #require(app.traces.first(event)?.status)
        #expect(status.code == .error && status.message == code)
    }
}
#endif
