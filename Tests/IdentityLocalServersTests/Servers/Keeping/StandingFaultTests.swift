import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing

@Suite("Standing faults", .endsInTime)
struct StandingFaultTests {
    private func status(of server: LocalHTTPServer) async throws -> Int {
        try await DefaultTransport.make().data(for: URLRequest(url: server.url)).1.statusCode
    }

    @Test("A server fails every request without acting, until it is put right")
    func failing() async throws {
        let acted = Locked(0)
        let server = try await LocalHTTPServer.start { _ in
            acted.withLock { $0 += 1 }
            return .text("done")
        }
        server.standingFaults = StandingFaults(failure: 503)
        #expect(try await status(of: server) == 503)
        #expect(try await status(of: server) == 503)
        #expect(acted.withLock { $0 } == 0)
        server.standingFaults = StandingFaults()
        #expect(try await status(of: server) == 200)
        #expect(acted.withLock { $0 } == 1)
        await server.stop()
    }

    @Test("A slow server acts once the delay is over")
    func slow() async throws {
        let clock = ManualClock()
        let acted = Locked(0)
        let server = try await LocalHTTPServer.start(time: clock.timeSource) { _ in
            acted.withLock { $0 += 1 }
            return .text("done")
        }
        server.standingFaults = StandingFaults(delay: .seconds(3))
        async let answer = status(of: server)
        while clock.sleeperCount == 0 { await Task.yield() }
        #expect(acted.withLock { $0 } == 0)
        clock.advance(by: .seconds(3))
        #expect(try await answer == 200)
        #expect(acted.withLock { $0 } == 1)
        await server.stop()
    }
}
