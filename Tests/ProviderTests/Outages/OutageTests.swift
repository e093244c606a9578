#if os(Linux)
import Foundation
import TestSupport
import Testing

/// What happens to sessions in outages. The few runs of every time make the table of `Documentation/Robustness.md`; all of
/// them need `SWIFT_IDENTITY_FULL_TESTS=1`.
@Suite("No session ends while the server would take its refresh token", .endsInTime)
struct OutageTests {
    /// How often a token is asked for in the outage.
    private static let calls = [1, 2, 5, 20]
    private static let isFull = ProcessInfo.processInfo.environment["SWIFT_IDENTITY_FULL_TESTS"] == "1"

    /// A provider and its server.
    struct Pair: Sendable, CustomTestStringConvertible {
        let provider: OutageProvider
        let rotation: Rotation

        var testDescription: String { "\(provider.rawValue), rotation: \(rotation)" }

        static let all = OutageProvider.allCases.flatMap { provider in
            provider.rotations.map { Pair(provider: provider, rotation: $0) }
        }
    }

    // To write the table anew: `SWIFT_IDENTITY_RECORD=1 swift test --filter OutageTests`.
    @Test("Two calls in every outage, at a server that rotates strictly: the table is true")
    func table() async throws {
        let columns = try await withThrowingTaskGroup(of: (OutageProvider, [Outage: Fate]).self) { group in
            for provider in OutageProvider.allCases {
                group.addTask { (provider, try await fates(Pair(provider: provider, rotation: .strict), calls: 2)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let runs = Pair.all.count * Self.calls.count * Outage.allCases.count
        try OutagePage.compare(OutagePage.table(columns) + "\n\nAll runs are \(runs).")
    }

    @Test("Every number of calls, outage and rotation", .enabled(if: isFull), arguments: Pair.all)
    func everything(pair: Pair) async throws {
        for calls in Self.calls { _ = try await fates(pair, calls: calls) }
    }

    /// The results of all outages, one after the other at one server.
    private func fates(_ pair: Pair, calls: Int) async throws -> [Outage: Fate] {
        let scene = try await pair.provider.scene(pair.rotation)
        var fates: [Outage: Fate] = [:]
        for outage in Outage.allCases {
            let fate = try await OutageRun(scene: scene, outage: outage, calls: calls).fate()
            // Only a server that has rotated the token may refuse it, and not before its window is over.
            let mayEnd =
                switch pair.rotation {
                case .strict: outage.reachesServer
                case .window: outage.reachesServer && calls > 2
                case .off: false
                }
            #expect(
                fate == .kept || mayEnd && fate == .endedByServer,
                "\(pair.testDescription), \(outage.rawValue), \(calls) calls: \(fate)")
            fates[outage] = fate
        }
        await scene.stop()
        return fates
    }
}
#endif
