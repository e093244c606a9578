import ArgumentParser
import IdentityKit
import IdentityTerminal

/// `identity doctor`: finds problems of the configuration, the store and the backends.
struct DoctorCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { [Finding].self }

    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the configuration, the store, its key, the clock and the backends.",
        discussion: """
            A problem comes with a way to fix it where one is known. No session is changed, and no token is sent. A record \
            is written to the store and erased.

            EXAMPLES
              identity doctor
              identity doctor --offline
              identity doctor --json | jq '.[] | select(.verdict != "ok")'

            EXIT STATUS
              0   there is no problem; warnings do not count
              1   there is a problem
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Send no request.")
    var offline = false

    func run(in call: ToolCall) async throws {
        let findings = try await call.process.interrupting { await examine(in: call) }
        if output.json { try call.terminal.json(findings) }
        if findings.contains(where: { $0.verdict == .bad }) { throw ExitStatus.failure.code }
    }

    private func examine(in call: ToolCall) async -> [Finding] {
        var findings: [Finding] = []
        func report(_ finding: Finding) {
            let finding = finding.completing(call.place)
            findings.append(finding)
            guard !output.json else { return }
            let detail = place.verbosity.isOn(in: call) ? finding.detail : call.names.naming(finding.detail)
            finding.show(detail, on: call.terminal)
        }
        let setup = SetupExamination(place, in: call)
        setup.findings.forEach(report)
        guard let configuration = setup.configuration else { return findings }
        let store = StoreExamination(
            configuration: configuration.store, profile: configuration.profile,
            providers: configuration.providers.map(\.name), call: call, asksServers: !offline)
        for finding in await store.findings() { report(finding) }
        guard !offline else { return findings }
        report(transport)
        for provider in configuration.providers {
            let examination = BackendExamination(
                provider, of: configuration, again: ": identity doctor", place.verbosity, in: call)
            for finding in await examination.findings() { report(finding) }
        }
        return findings
    }

    private var transport: Finding {
        let name = DefaultTransport.name
        guard let missing = DefaultTransport.missing else { return .ok("transport", name) }
        return .warning(
            "transport", "\(name), because this system lacks \(missing)",
            fix: "Install libcurl of version 7.80 or later.")
    }
}

struct Finding: Codable, Sendable {
    enum Verdict: String, Codable, CaseIterable, Sendable {
        case ok, warning, bad
    }

    let subject: String
    let verdict: Verdict
    let detail: String
    /// Advice or a command for the person; `nil` if there is nothing to do, or if no remedy is known.
    let fix: String?
    /// Transient if the problem may pass by itself. The JSON output does not contain this class.
    var failureClass = FailureClass.definitive

    private enum CodingKeys: CodingKey { case subject, verdict, detail, fix }

    static func ok(_ subject: String, _ detail: String) -> Finding {
        Finding(subject: subject, verdict: .ok, detail: detail, fix: nil)
    }

    static func warning(_ subject: String, _ detail: String, fix: String) -> Finding {
        Finding(subject: subject, verdict: .warning, detail: detail, fix: fix)
    }

    static func bad(_ subject: String, _ detail: String, fix: String?) -> Finding {
        Finding(subject: subject, verdict: .bad, detail: detail, fix: fix)
    }

    /// Returns a copy whose fix contains the options for configuration and profile, so that its command can be run
    /// unchanged.
    func completing(_ place: NamedPlace) -> Finding {
        Finding(subject: subject, verdict: verdict, detail: detail, fix: fix.map(place.completing))
    }

    /// Prints the subject and `detail` on one line, and the fix on a line of its own, so that people can copy it.
    func show(_ detail: String, on terminal: Terminal) {
        let mark =
            switch verdict {
            case .ok: terminal.styled("✔", .good)
            case .warning: terminal.styled("!", .bold)
            case .bad: terminal.styled("✘", .bad)
            }
        try? terminal.line("\(mark) \(terminal.styled(subject, .bold))  \(detail.visible)")
        if let fix { try? terminal.line("    \(fix.visible)") }
    }
}
