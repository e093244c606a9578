#if os(Linux)
import Foundation
import TestSupport
import Testing

/// Where this system writes a core dump into the folder of the process; others send it away, where no test can look.
private let writesCoreDumps =
    (try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8))?.hasPrefix("core") == true

@Suite(.enabled(if: writesCoreDumps), .endsInTime) struct CoreDumpTests {
    /// The core dumps of a program that is aborted after its first line.
    private func coreDumps(of command: String, environment: [String: String] = [:]) async throws -> [String] {
        let folder = try TemporaryFolder()
        // Swift's own look at a crash comes first otherwise, and takes its time.
        let quick = environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let run = try ToolProcess.start(
            script: "cd '\(folder.url.path)' && echo ready > line && ulimit -c unlimited && exec \(command)",
            environment: quick)
        _ = await run.firstLine.value
        run.send(SIGABRT)
        _ = await run.finish()
        return try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix("core") }
    }

    @Test("An aborted tool leaves no core dump")
    func tool() async throws {
        #expect(try await coreDumps(of: #""$0" serve --insforge-port 0"#) == [])
    }

    @Test("A program that the tool becomes is like any other again")
    func child() async throws {
        try await withTool { fixture async throws in
            #expect(try await fixture.signIn().status == 0)
            let command = #""$0" exec -- tail -f line"#
            #expect(try await coreDumps(of: command, environment: fixture.environment).count == 1)
        }
    }
}
#endif
