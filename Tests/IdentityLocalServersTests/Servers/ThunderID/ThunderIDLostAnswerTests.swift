import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID answers that come late, broken or not at all while tokens rotate")
struct ThunderIDLostAnswerTests {
    @Test("While an answer is on its way the old token is spent already, and its second use revokes the new one")
    func lateAnswer() async throws {
        try await ThunderIDVisitor.with { visitor in
            let tokens = try await visitor.signIn()
            let gate = AnswerGate()
            visitor.server.http.fail(.holdAnswer(gate), pathPrefix: "/oauth2/token")
            let slow = ThunderIDVisitor(server: visitor.server, clock: visitor.clock)
            async let late = slow.refresh(tokens["refresh_token"])
            await gate.waitForAnswer()
            #expect(visitor.server.counters.refreshes == 1)
            #expect(try await visitor.refresh(tokens["refresh_token"])["error"] == "invalid_grant")
            #expect(visitor.server.counters.familiesRevoked == 1)
            gate.open()
            let refreshed = try await late
            #expect(refreshed.status == 200, "the answer was written before the family was revoked")
            #expect(try await visitor.refresh(refreshed["refresh_token"])["error"] == "invalid_grant")
        }
    }

    @Test("A failure before the server acts spends nothing")
    func failureBeforeActing() async throws {
        try await ThunderIDVisitor.with { visitor in
            let tokens = try await visitor.signIn()
            visitor.server.http.fail(.answer(.text("busy\n", status: 503)), pathPrefix: "/oauth2/token")
            #expect(try await visitor.refresh(tokens["refresh_token"]).status == 503)
            #expect(try await visitor.refresh(tokens["refresh_token"]).status == 200)
        }
    }

    @Test("A failure after the server acted looks the same and has spent the token")
    func failureAfterActing() async throws {
        try await ThunderIDVisitor.with { visitor in
            let tokens = try await visitor.signIn()
            visitor.server.http.fail(.answerAfterActing(.text("oops\n", status: 500)), pathPrefix: "/oauth2/token")
            #expect(try await visitor.refresh(tokens["refresh_token"]).status == 500)
            #expect(try await visitor.refresh(tokens["refresh_token"])["error"] == "invalid_grant")
            #expect(visitor.server.counters.familiesRevoked == 1)
        }
    }

    @Test(
        "A response that is lost or breaks off has spent the token, without the client's knowledge",
        arguments: [Fault.dropAnswer, .truncateAnswer])
    func brokenResponse(fault: Fault) async throws {
        try await ThunderIDVisitor.with { visitor in
            let tokens = try await visitor.signIn()
            visitor.server.http.fail(fault, pathPrefix: "/oauth2/token")
            // Over a fresh connection: on a kept one the loader would send the request again.
            let newcomer = ThunderIDVisitor(server: visitor.server, clock: visitor.clock)
            await #expect(throws: TransportError.self) { try await newcomer.refresh(tokens["refresh_token"]) }
            #expect(visitor.server.counters.refreshes == 1)
            #expect(try await visitor.refresh(tokens["refresh_token"])["error"] == "invalid_grant")
            #expect(visitor.server.counters.familiesRevoked == 1)
        }
    }
}
