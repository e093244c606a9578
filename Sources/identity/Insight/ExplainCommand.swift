import ArgumentParser
import IdentityKit

/// `identity explain`: why this account.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Ask every provider silently and print what each answered, and which account is active and why.",
        discussion: """
            Nothing is chosen and nothing is shown by a provider.

            EXAMPLES
              identity explain
              identity explain --json | jq '.attempts[] | select(.outcome == "failed")'
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Option(name: .customLong("scope"), help: "A scope that would be needed. May be repeated.")
    var scopes: [String] = []

    private struct Report: Encodable {
        struct Attempt: Encodable {
            let provider: String
            let outcome: String
            let reason: String
            let milliseconds: Double
        }

        let configuration: String
        let profile: String
        let active: String?
        /// Why nobody is active, or whom the active account stands in for.
        let reason: String?
        let attempts: [Attempt]

        init(_ session: ToolSession, _ attempts: [ChainAttempt], _ lookup: AccountLookup?) {
            configuration = session.file.path
            profile = session.configuration.profile
            active = lookup?.account?.id
            reason = lookup?.reason
            self.attempts = attempts.map { attempt in
                Attempt(
                    provider: attempt.provider, outcome: attempt.outcome.name, reason: attempt.summary,
                    milliseconds: (attempt.duration.timeInterval * 10_000).rounded() / 10)
            }
        }
    }

    func run() async throws {
        let terminal = Terminal()
        try await ToolSession.run(place) { [scopes, output] session in
            let attempts = try await session.client.explain(scopes: Set(scopes))
            // What a walk would fail at is told by the attempts already.
            let lookup = try? await session.client.lookUp(scopes: Set(scopes))
            let report = Report(session, attempts, lookup)
            try output.json ? terminal.json(report) : Self.show(report, attempts, on: terminal)
        }
    }

    private static func show(_ report: Report, _ attempts: [ChainAttempt], on terminal: Terminal) throws {
        try terminal.line(terminal.styled("\(report.configuration), profile \(report.profile)", .faint))
        for attempt in attempts { try terminal.line("  \(attempt)") }
        try terminal.line("active: \(report.active ?? "nobody")\(report.reason.map { ", \($0)" } ?? "")")
    }
}

extension AccountLookup {
    /// What is to be said of the answer besides who is active.
    fileprivate var reason: String? {
        switch self {
        case .fallback(_, let fallback): fallback.description
        case .none(.activeSessionEnded(let account, let reason)):
            AbsenceReason.activeSessionEnded(account, reason: reason).description
        // The attempts have told the reasons already.
        case .found, .none: nil
        }
    }
}

extension ChainAttempt.Outcome {
    /// The outcome in one word.
    fileprivate var name: String {
        switch self {
        case .account: "account"
        case .none: "none"
        case .passedOver: "passed-over"
        case .failed: "failed"
        }
    }
}
