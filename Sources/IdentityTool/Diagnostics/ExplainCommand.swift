import ArgumentParser
import Foundation
import IdentityKit
import IdentityTerminal

/// `identity explain`: shows which account is active and why, and what each provider returns when it must not show a
/// sign-in.
struct ExplainCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { Report.self }

    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Print the silent result of every provider, and which account is active and why.",
        discussion: """
            No provider shows a sign-in, and no account is chosen. A workload without a token is configured, and not signed \
            in. With --for, the account that a request to an address would be sent as, and why. Nothing is sent there.

            EXAMPLES
              identity explain
              identity explain --for https://api.example.com/me
              identity explain --json | jq '.attempts[] | select(.outcome == "failed")'
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var acting: AccountOptions
    @OptionGroup var output: OutputOptions

    @Option(name: .customLong("scope"), help: "A required scope. May be repeated.")
    var scopes: [String] = []

    @Option(name: .customLong("for"), help: "An address: as whom a request there would be sent.")
    var address: String?

    func validate() throws { _ = try url }

    private var url: URL? {
        get throws {
            guard let address else { return nil }
            guard let url = URL(typed: address) else { throw ValidationError("\"\(address)\" is not an address.") }
            return url
        }
    }

    private struct Report: Codable {
        struct Attempt: Codable {
            let provider: String
            let outcome: String
            let reason: String
            let milliseconds: Double
        }

        let configuration: String
        let profile: String
        let active: String?
        /// The reason why `active` has this value. For example, another account stands in for the chosen one (a fallback), or
        /// the session needs a sign-in. `nil` if `attempts` show the reason. If an option or a variable names the account, the
        /// text contains the name of that option or variable, and the state of the session.
        let reason: String?
        let attempts: [Attempt]
        /// The tokens in environment variables that are ignored because another account is active. `nil` if there are none or
        /// no account is active. Also `nil` if an option or a variable names the account, because the active account is not
        /// looked up then.
        let unusedTokens: [UnusedToken]?
        /// The account, rule and scheme for a request to the given address; `nil` without `--for`.
        let request: ExplainedRequest?

        init(
            _ session: ToolSession, _ attempts: [ChainAttempt], _ lookup: AccountLookup?, unreadable: String?,
            _ named: AccountRow?, _ request: ExplainedRequest?
        ) {
            self.request = request
            configuration = session.file.path
            profile = session.configuration.profile
            active = named?.account ?? lookup?.account?.id
            reason =
                named.map { "named by \(session.named?.source ?? ""), \($0.stateInWords)" } ?? lookup?.reason
                ?? unreadable
            unusedTokens = lookup?.chosen.flatMap(session.unusedTokens)
            self.attempts = attempts.map { attempt in
                Attempt(
                    provider: attempt.provider, outcome: attempt.outcomeName, reason: attempt.description,
                    milliseconds: (attempt.duration.timeInterval * 10_000).rounded() / 10)
            }
        }
    }

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        try await ToolSession.run(place, as: acting.named(in: call), in: call, keepsChoice: true) {
            [scopes, output, url = try url] session in
            let named = try await session.namedRow()
            let request: ExplainedRequest? =
                if let url { await ExplainedRequest(to: url, scopes: Set(scopes), in: session) } else { nil }
            let attempts = try await session.client.explain(scopes: Set(scopes))
            var (lookup, unreadable): (AccountLookup?, String?)
            if named == nil {
                do {
                    lookup = try await session.client.lookUp(scopes: Set(scopes))
                } catch let error as TokenStoreError {
                    unreadable = error.message
                } catch {
                    // The attempts show why a provider failed.
                }
            }
            let report = Report(session, attempts, lookup, unreadable: unreadable, named, request)
            guard !output.json else { return try terminal.json(report) }
            let title = "\(report.configuration), profile \(report.profile)".visible
            try terminal.line(terminal.styled(title, .faint))
            for line in Self.lines(report, attempts, chosen: lookup?.chosen) {
                try terminal.line(await session.named(line).visible)
            }
        }
    }

    private static func lines(
        _ report: Report, _ attempts: [ChainAttempt], chosen: AccountID?
    ) -> [String] {
        attempts.map { "  \($0)" }
            + ["active: \(report.active ?? "none")\(report.reason.map { ", \($0)" } ?? "")"]
            + (report.unusedTokens ?? []).map { "not used: \($0.inWords(besides: chosen?.id ?? "another"))" }
            + (report.request.map { [$0.inWords] } ?? [])
    }
}

extension ToolSession {
    /// The account that the command line or the environment variable names, and the state of its session; `nil` if
    /// neither names one.
    fileprivate func namedRow() async throws -> AccountRow? {
        guard let account = try await namedAccount() else { return nil }
        return AccountRow(
            account, try await client.summary(of: account), isActive: true,
            isConfigured: client.serves(account), lacksToken: client.isOnlyConfigured(account))
    }
}

extension AccountLookup {
    /// The active account, or the account whose unusable session is the reason that no account is active.
    var chosen: AccountID? {
        if case .absent(let reason) = self { reason.sessionError?.account } else { account }
    }

    /// The reason for the lookup's result; `nil` if the attempts of the providers show it.
    fileprivate var reason: String? {
        switch self {
        case .fallback(_, let fallback): fallback.description
        case .suspended(_, let suspension): "it needs a sign-in: \(suspension.reason)"
        case .absent(let reason): reason.sessionError == nil ? nil : reason.description
        case .found: nil
        }
    }
}

extension ChainAttempt {
    fileprivate var outcomeName: String {
        switch outcome {
        case .account: isOnlyConfigured ? "configured" : "account"
        case .absent: "none"
        case .passedOver: "passed-over"
        case .failed: "failed"
        }
    }
}
