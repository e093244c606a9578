import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// A refresh that brings no tokens, at the servers that have no article of their own about it.
@Suite("What is wrong with a refresh", .endsInTime)
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
        "ThunderID: it happens to one refresh, and has spent the token only where the server has acted",
        arguments: RefreshFault.allCases)
    func thunderID(fault: RefreshFault) async throws {
        try await ThunderIDVisitor.with { visitor in
            let token = try await visitor.signIn()["refresh_token"]
            visitor.server.fail(fault)
            await check(fault, at: visitor.server.http) { try await visitor.refresh(token)["access_token"] }
            #expect(visitor.server.counters.refreshes == (fault.acts ? 1 : 0))
            guard fault != .silence, !fault.acts else { return }
            #expect(try await visitor.refresh(token).status == 200)
        }
    }

    @Test("InsForge: it happens to one refresh, also where the server has acted", arguments: RefreshFault.allCases)
    func insForge(fault: RefreshFault) async throws {
        try await InsForgeProbe.run { probe in
            let token = try await probe.signIn().text("refreshToken")
            probe.server.fail(fault)
            await check(fault, at: probe.server.http) { try await probe.refresh(token).json["accessToken"] }
            #expect(probe.server.counters.refreshes == (fault.acts ? 1 : 0))
            guard fault != .silence else { return }
            #expect(try await probe.refresh(token).status == 200)
        }
    }
}
