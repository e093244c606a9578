import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// A refresh that brings no tokens, at the servers that have no article of their own about it.
@Suite("What is wrong with a refresh", .endsInTime, .stopsServers)
struct RefreshFaultTests {
    /// Refreshes while `fault` happens, which must bring no token.
    private func check(
        _ fault: RefreshFault, at http: LocalHTTPServer, _ refresh: @escaping @Sendable () async throws -> JSONValue?
    ) async {
        let requests = http.log.count
        async let token = try? refresh()
        if fault == .silence {
            // The connection ends when the server does.
            while http.log.count == requests { await Task.yield() }
            await http.stop()
        }
        #expect(await (token ?? nil) == nil)
    }

    @Test(
        "ThunderID: it happens to one refresh, and only where the server has acted the token is spent",
        arguments: RefreshFault.allCases)
    func thunderID(fault: RefreshFault) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let (server, token) = (visitor.server, try await visitor.signIn()["refresh_token"])
        server.fail(fault)
        // Over a fresh connection: on a kept one the loader would send the request again.
        let newcomer = ThunderIDVisitor(server: server, clock: visitor.clock)
        await check(fault, at: server.http) { try await newcomer.refresh(token)["access_token"] }
        #expect(server.counters.refreshes == (fault.acts ? 1 : 0))
        guard fault != .silence else { return }
        #expect(try await visitor.refresh(token).status == (fault.acts ? 400 : 200))
        #expect(server.counters.familiesRevoked == (fault.acts ? 1 : 0))
    }

    @Test("InsForge: it happens to one refresh, also where the server has acted", arguments: RefreshFault.allCases)
    func insForge(fault: RefreshFault) async throws {
        let probe = try await InsForgeProbe.start()
        let (server, token) = (probe.server, try await probe.signIn().text("refreshToken"))
        server.fail(fault)
        let newcomer = InsForgeProbe(server: server, clock: probe.clock)
        await check(fault, at: server.http) { try await newcomer.refresh(token).json["accessToken"] }
        #expect(server.counters.refreshes == (fault.acts ? 1 : 0))
        guard fault != .silence else { return }
        #expect(try await probe.refresh(token).status == 200)
    }

    @Test("While an answer is on its way the old token is spent already, and its second use revokes the new one")
    func lateAnswer() async throws {
        let visitor = try await ThunderIDVisitor.start()
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
