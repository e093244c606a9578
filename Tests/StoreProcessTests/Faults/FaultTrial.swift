#if os(Linux)
import IdentityKit
import IdentityLocalServers

/// One run of a program that is disturbed, and what must be true of the session afterwards.
struct FaultTrial: Sendable {
    let subject: FaultSubject
    let disturbance: Disturbance

    /// What came of it.
    struct Result: Sendable {
        /// Whether the program came to the call at all.
        let wasDisturbed: Bool
        /// Whether the session is lost, rightly or not.
        let isLost: Bool
        /// What should not be; `nil` when everything is as it should be.
        let complaint: String?
    }

    func run(at server: LocalThunderIDServer) async throws -> Result {
        let scene = try FaultScene(at: server)
        try await scene.prepare(for: subject.phase)
        let before = server.counters
        let outcome = try await scene.run(subject, disturbed: disturbance)
        let drafts = try scene.drafts()
        let condition = try await scene.condition()
        var complaint = complaint(outcome, condition, rotated: server.counters.refreshes > before.refreshes)
        if complaint == nil, mustTidyUp, !drafts.isEmpty { complaint = "\(subject): \(disturbance): leaves \(drafts)" }
        if complaint == nil { complaint = try await remedy(scene, condition) }
        return Result(
            wasDisturbed: outcome.calls.contains { $0.number >= disturbance.call.number }, isLost: condition.isLost,
            complaint: complaint)
    }

    /// Whether a draft that does not come to its place is removed by its writer: by every one that lives and can.
    private var mustTidyUp: Bool {
        guard case .fault = disturbance.action else { return false }
        return disturbance.duration == .once && disturbance.call.name != "unlink"
    }

    private func complaint(
        _ outcome: FaultedProcess.Outcome, _ condition: FaultScene.Condition, rotated: Bool
    ) -> String? {
        if condition == .lost("session_ended"), mayLose(outcome, rotated) { return nil }
        let isRight =
            switch (disturbance.action, outcome.claim) {
            case (.fault, .success): isDone(condition, outcome)
            // Whoever is interrupted, or gets half, asks again.
            case (.fault(.interrupted), _), (.fault(.short), _): false
            case (.fault, .unexplainedFailure), (.fault, nil): false
            case (.kill, _), (.fault, .failure): isDone(condition, nil) || isUndone(condition)
            }
        guard !isRight else { return nil }
        return "\(subject): \(disturbance): \(outcome), then \(condition)"
    }

    /// Whether the session is as the phase leaves it.
    /// - Parameter outcome: of a program that claims to have done it.
    private func isDone(_ condition: FaultScene.Condition, _ outcome: FaultedProcess.Outcome?) -> Bool {
        switch (subject.phase, condition) {
        case (.signIn, .alive), (.signInAgain, .alive), (.signOut, .signedOut): true
        // What was handed out is what was stored.
        case (.refresh, .alive(let digest)): outcome == nil || outcome?.digest == digest
        default: false
        }
    }

    /// Whether the session is as the phase found it.
    private func isUndone(_ condition: FaultScene.Condition) -> Bool {
        subject.phase == .signIn ? condition == .signedOut : condition.isAlive
    }

    /// A refresh token that the server has taken cannot be saved by a process that dies before the new one has its
    /// place in the store, nor by one that cannot write for as long as it may try.
    private func mayLose(_ outcome: FaultedProcess.Outcome, _ rotated: Bool) -> Bool {
        guard subject.phase == .refresh, rotated else { return false }
        switch disturbance.action {
        case .kill: return !outcome.calls.dropLast().contains { $0.replacesRecord(in: "accounts") }
        case .fault: return disturbance.duration == .forGood && outcome.claim == .failure
        }
    }

    /// Does what a person would do next.
    /// - Returns: a complaint when that does not help.
    private func remedy(_ scene: FaultScene, _ condition: FaultScene.Condition) async throws -> String? {
        do {
            switch (subject.phase, condition) {
            case (.signOut, .alive):
                try await scene.signOut()
                let condition = try await scene.condition()
                return condition == .signedOut ? nil : "\(subject): \(disturbance): signed out again, then \(condition)"
            case (.signIn, .signedOut), (.refresh, .lost):
                try await scene.signInAgain()
                let condition = try await scene.condition()
                return condition.isAlive ? nil : "\(subject): \(disturbance): signed in again, then \(condition)"
            default: return nil
            }
        } catch let error as any IdentityFailure {
            return "\(subject): \(disturbance): what helps otherwise fails: \(error.identityMessage)"
        }
    }
}
#endif
