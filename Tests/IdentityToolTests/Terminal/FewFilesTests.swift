import TestSupport
import Testing

/// A process that may open few files.
@Suite(.endsInTime) struct FewFilesTests {
    @Test("With few files that can be opened a command does its work or says why not, and no trap ends it")
    func limits() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            for limit in [3, 4, 10] + Array(11...16) {
                // With ten or fewer no command gets a turn: one stands for all.
                let others = limit > 10 ? ["token", "config check '\(fixture.configurationFile.path)'"] : []
                for command in ["whoami"] + others {
                    // The shell stays, so that the end by a signal is more than 128.
                    let result = try await fixture.shell("ulimit -n \(limit); \"$0\" \(command); exit $?")
                    #expect(result.status < 128, "\(limit), \(command): \(result.errors)")
                    #expect(result.status == 0 || !result.errors.isEmpty || !result.output.isEmpty)
                    // With three the system's loader ends the process.
                    guard (4...10).contains(limit) else { continue }
                    #expect(result.status == 1 && result.errors.contains("(ulimit -n)"), "\(limit): \(result)")
                }
            }
        }
    }
}
