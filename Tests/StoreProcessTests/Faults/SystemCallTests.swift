#if os(Linux)
import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// Every system call that a program makes on the store's files fails once, or is the last one.
///
/// A few of them by default; all of them with `SWIFT_IDENTITY_FULL_TESTS=1`, which prints the lines of the table in
/// `Documentation/Robustness.md`.
@Suite(.serialized) struct SystemCallTests {
    @Test(
        "Killed at a system call: a session is lost only where the server had rotated and nothing was stored yet",
        arguments: FaultSubject.all)
    func killed(subject: FaultSubject) async throws {
        try await run("killed", subject, few: subject.phase == .refresh ? 5 : 2, Disturbance.kills)
    }

    @Test("Killed at a system call of a refresh, with grace: nothing is lost", arguments: FaultSubject.Program.allCases)
    func killedWithGrace(program: FaultSubject.Program) async throws {
        let subject = FaultSubject(program: program, phase: .refresh)
        let tally = try await run(
            "killed, with grace", subject, grace: .seconds(120), few: 2, Disturbance.kills)
        #expect(tally.lost == 0)
    }

    @Test(
        "A system call that fails once: it is done, or said and not done, and no session is lost",
        arguments: FaultSubject.all)
    func failing(subject: FaultSubject) async throws {
        let tally = try await run(
            "fails once", subject, few: subject.phase == .refresh ? 8 : 2, Disturbance.faults)
        #expect(tally.lost == 0)
    }

    @Test("A folder that cannot be read to its end is no folder without sessions")
    func unreadableFolder() async throws {
        let subject = FaultSubject(program: .tool, phase: .signOut)
        let calls = try await Self.calls(of: subject)
        let call = try #require(calls.first { $0.name == "readdir" && $0.path.hasSuffix("/accounts") })
        let server = try await Self.startServer(grace: .zero)
        let scene = try FaultScene(at: server)
        try await scene.prepare(for: subject.phase)
        let outcome = try await scene.run(subject, disturbed: Disturbance(action: .fault(.deviceError), call: call))
        #expect(outcome.claim == .failure, "\(outcome)")
        #expect(outcome.errors.contains("cannot be read"), "\(outcome)")
        #expect(try await scene.condition().isAlive)
        await server.stop()
    }

    @Test("A record that is in its place is stored, also when its folder cannot be flushed")
    func unflushedFolder() async throws {
        let subject = FaultSubject(program: .probe, phase: .signIn)
        let calls = try await Self.calls(of: subject)
        let call = try #require(calls.last { $0.name == "fsync" && $0.path.hasSuffix("/accounts") })
        let server = try await Self.startServer(grace: .zero)
        let scene = try FaultScene(at: server)
        try await scene.prepare(for: subject.phase)
        let outcome = try await scene.run(subject, disturbed: Disturbance(action: .fault(.deviceError), call: call))
        #expect(outcome.claim == .success, "\(outcome)")
        #expect(try await scene.condition().isAlive)
        await server.stop()
    }

    @Test(
        "A write that fails leaves no draft behind",
        arguments: ["fstat", "fchmod", "write", "ftruncate", "fsync", "link", "rename"])
    func draftOfFailedWrite(name: String) async throws {
        let subject = FaultSubject(program: .probe, phase: .signIn)
        // The last ones: those of the session's record.
        let calls = try await Self.calls(of: subject).filter { $0.name == name }.suffix(2)
        #expect(!calls.isEmpty)
        let server = try await Self.startServer(grace: .zero)
        for call in calls {
            let trial = FaultTrial(
                subject: subject, disturbance: Disturbance(action: .fault(.deviceError), call: call))
            let result = try await trial.run(at: server)
            #expect(result.wasDisturbed)
            if let complaint = result.complaint { Issue.record("\(complaint)") }
        }
        await server.stop()
    }

    @Test(
        "Transient system-call failures are retried, and the outcome is the same",
        .enabled(if: Extent.isFull), arguments: FaultSubject.all)
    func failingForAWhile(subject: FaultSubject) async throws {
        let tally = try await run(
            "fails for a while", subject, few: 0, { Disturbance.lastingFaults(of: $0, .forAWhile) }, workers: 4)
        #expect(tally.lost == 0)
    }

    @Test(
        "System calls that fail from one moment on: what cannot be stored is said",
        // Whoever has spent a token tries for as long as its lease holds.
        .enabled(if: Extent.isFull), arguments: FaultSubject.all)
    func failingForGood(subject: FaultSubject) async throws {
        try await run(
            "fails for good", subject, few: 0, { Disturbance.lastingFaults(of: $0, .forGood) }, workers: 16)
    }

    // MARK: Many trials

    /// What came of many trials.
    struct Tally: Sendable {
        var disturbed = 0
        var lost = 0
    }

    /// Tries what `plan` makes of the calls of an undisturbed run.
    /// - Parameters:
    ///   - title: what is done, for the table.
    ///   - few: how many of it are tried by default.
    @discardableResult
    private func run(
        _ title: String, _ subject: FaultSubject, grace: Duration = .zero, few: Int,
        _ plan: ([SystemCall]) -> [Disturbance], workers: Int = 2
    ) async throws -> Tally {
        let calls = try await Self.calls(of: subject)
        // By default only what comes after the note that a refresh token is sent now, where there is one.
        let note = Extent.isFull ? nil : calls.lastIndex { $0.replacesRecord(in: "refreshes") }
        let all = plan(Array(calls[(note ?? 0)...]))
        let disturbances = Extent.isFull ? all : Self.sample(few, of: all)
        let remaining = Locked(disturbances[...])
        let tally = Locked(Tally())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<min(workers, disturbances.count) {
                group.addTask {
                    let server = try await Self.startServer(grace: grace)
                    while !Task.isCancelled, let next = remaining.withLock({ $0.popFirst() }) {
                        let result = try await FaultTrial(subject: subject, disturbance: next).run(at: server)
                        tally.withLock {
                            $0.disturbed += result.wasDisturbed ? 1 : 0
                            $0.lost += result.isLost ? 1 : 0
                        }
                        if let complaint = result.complaint { Issue.record("\(complaint)") }
                    }
                    await server.stop()
                }
            }
            try await group.waitForAll()
        }
        let result = tally.withLock { $0 }
        // Or the library is not loaded, and nothing was tested.
        #expect(result.disturbed * 2 >= disturbances.count)
        if Extent.isFull {
            let counts = "\(calls.count) | \(result.disturbed) | \(result.lost)"
            print("| \(title) | \(subject.program.rawValue) | \(subject.phase.rawValue) | \(counts) |")
            // What follows takes hours, and a pipe would keep this until then.
            fflush(nil)
        }
        return result
    }

    /// The results of ``calls(of:)``, by subject.
    private static let known = Locked<[String: [SystemCall]]>([:])

    /// The system calls of an undisturbed run. Each subject runs once, and all tests share the result.
    private static func calls(of subject: FaultSubject) async throws -> [SystemCall] {
        if let calls = known.withLock({ $0[subject.description] }) { return calls }
        let server = try await startServer(grace: .zero)
        let scene = try FaultScene(at: server)
        try await scene.prepare(for: subject.phase)
        let outcome = try await scene.run(subject)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.calls.count > 20)
        known.withLock { $0[subject.description] = outcome.calls }
        await server.stop()
        return outcome.calls
    }

    private static func startServer(grace: Duration) async throws -> LocalThunderIDServer {
        try await LocalThunderIDServer.start(
            configuration: LocalThunderIDServer.Configuration { $0.rotationGrace = grace })
    }

    /// `count` of them, as far apart as possible, the last one among them.
    private static func sample(_ count: Int, of all: [Disturbance]) -> [Disturbance] {
        guard count < all.count else { return all }
        return (1...count).map { all[$0 * all.count / count - 1] }
    }
}
#endif
