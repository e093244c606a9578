#if os(Linux)
import IdentityKit
import IdentityLocalServers
import Testing

/// A process that may open only a few files refreshes a session, or does not begin to.
@Suite(.serialized) struct OpenFilesTests {
    @Test(
        "With few descriptors a refresh is not sent, or it is stored", arguments: FaultSubject.Program.allCases)
    func refresh(program: FaultSubject.Program) async throws {
        let server = try await LocalThunderIDServer.start()
        var stored = 0
        for limit in Extent.isFull ? Array(8...40) : Self.few {
            let scene = try FaultScene(at: server)
            try await scene.prepare(for: .refresh)
            let before = server.counters.refreshes
            let outcome = try await scene.run(FaultSubject(program: program, phase: .refresh), openFiles: limit)
            let wasSent = server.counters.refreshes > before
            let condition = try await scene.condition()
            let story = "\(limit) files: \(outcome), sent: \(wasSent), then \(condition)"
            #expect(condition.isAlive, "\(story)")
            if wasSent {
                #expect(outcome.claim == .success, "\(story)")
                #expect(outcome.digest.map { .alive(digest: $0) } == condition, "\(story)")
                stored += 1
            } else {
                #expect(outcome.claim != .success && outcome.digest == nil, "\(story)")
            }
        }
        // Or the limits were so low that nothing was tested.
        #expect(stored > 0)
        await server.stop()
    }

    /// Those around which a process can begin a refresh and yet not end it, when it reserves nothing; and enough.
    private static let few = [10, 12, 13, 14, 15, 16, 18, 24]
}
#endif
