import ArgumentParser
import Foundation
import IdentityKit
import IdentityTerminal

/// `identity demo`: shows the main features step by step, with local servers.
struct DemoCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { DemoReport.self }

    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run the main features against two local servers.",
        discussion: """
            Starts a ThunderID and an InsForge server on 127.0.0.1 with a store in a temporary folder, and removes them at \
            the end. The clock is moved instead of waiting. The exit status is 0 only if every step succeeds.

            EXAMPLES
              identity demo
              identity demo --verbose
              identity demo --json | jq '.steps[].title'
            """)

    @OptionGroup var output: OutputOptions

    @OptionGroup var verbosity: VerboseOption

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        let stage = try await DemoStage(
            transport: ObservedTransport { [isVerbose = verbosity.isOn(in: call)] line in
                if isVerbose { terminal.note("    \(line)") }
            }, in: call)
        let report = try await call.process.interrupting {
            let result = await Result { try await play(on: stage, terminal) }
            await HostProcess.finishing { await stage.strike() }
            return try result.get()
        }
        try conclude(report, on: terminal)
        if !report.ok { throw ExitStatus.failure.code }
    }

    /// Runs the steps up to the first that fails.
    private func play(on stage: DemoStage, _ terminal: Terminal) async throws -> DemoReport {
        var reports: [DemoStepReport] = []
        for (index, step) in DemoScript.steps.enumerated() {
            try Task.checkCancellation()
            let report = await perform(step, number: index + 1, on: stage)
            reports.append(report)
            if !output.json { try show(report, on: terminal) }
            guard report.ok else { break }
        }
        return DemoReport(ok: reports.count == DemoScript.steps.count && reports.allSatisfy(\.ok), steps: reports)
    }

    private func perform(_ step: DemoScript.Step, number: Int, on stage: DemoStage) async -> DemoStepReport {
        let clock = ContinuousClock()
        let start = clock.now
        let requestsBefore = stage.transport.requestCount
        var (ok, details): (Bool, [String])
        do {
            (ok, details) = (true, try await step.perform(stage))
        } catch {
            let reason = (error as? any IdentityFailure)?.message ?? "\(error)"
            (ok, details) = (false, reason.split(separator: "\n").map(String.init))
        }
        return DemoStepReport(
            step: number, title: step.title, provider: step.provider, ok: ok, details: details,
            requests: stage.transport.requestCount - requestsBefore,
            milliseconds: (start.duration(to: clock.now).timeInterval * 10_000).rounded() / 10)
    }

    private func conclude(_ report: DemoReport, on terminal: Terminal) throws {
        guard !output.json else { return try terminal.json(report) }
        try terminal.line()
        for (index, row) in report.table().enumerated() {
            try terminal.line(index == 0 ? terminal.styled(row, .faint) : row)
        }
    }

    private func show(_ report: DemoStepReport, on terminal: Terminal) throws {
        let mark = report.ok ? terminal.styled("✔", .good) : terminal.styled("✘", .bad)
        let duration = terminal.styled(String(format: "%.1f ms", report.milliseconds), .faint)
        try terminal.line("\(mark) \(terminal.styled(report.title, .bold))  \(duration)")
        for detail in report.details { try terminal.line("    \(detail)") }
    }
}
