import Foundation
import IdentityKit

extension Workshop {
    /// Takes over a changed file, and says what it changes. The store stays: it is chosen at the start.
    public func reload(_ data: Data) throws -> [String] {
        let change = try client.reload(IdentityConfiguration(parsing: data, variables: [:]))
        guard !change.isEmpty else { return [] }
        let lines = [("new", change.added), ("gone", change.removed), ("changed", change.changed)]
            .filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: ", "))" }
        return lines.isEmpty ? [change.description] : lines
    }

    /// Asks Lantern last from now on.
    public func preferGuests() throws -> ConfigurationChange {
        try client.reconfigure { $0.providers.reverse() }
    }

    /// A client for a program at a terminal, whose settings are in its bundle or its folder.
    public static func client(at terminal: Terminal) throws -> IdentityClient {
        try IdentityClient(
            registry: registry, prompter: TerminalPrompter(terminal), webAuthenticator: TerminalPages(terminal),
            deviceCodePresenter: TerminalCodes(terminal))
    }

    /// Lets the machine act, as a shop does at night.
    public func close(leaving badge: BadgeProvider) async throws -> String {
        client.use(badge)
        return try await client.accessToken(freshness: .lasting(.seconds(60)))
    }

    /// A chain made in code: Lantern where there is one, the badge for the rest.
    public static func chain(
        _ lantern: any IdentityProvider, badge: BadgeProvider, store: any TokenStore, observers: IdentityObservers
    ) throws -> IdentityProviderChain {
        let person = IdentityProviderChain.Link(
            "person", lantern, silentDeadline: SilentDeadline(.seconds(2), .skip), fallsBackWhenUnavailable: true)
        let machine = IdentityProviderChain.Link(
            "badge", badge, realms: badge.realms, silentDeadline: SilentDeadline(nil))
        let override = try ProviderOverride.environment(
            ["SWIFT_IDENTITY_PROVIDER": "person,badge"], known: ["person", "badge"])
        return try IdentityProviderChain(
            [person, machine], store: store, profile: "shop", override: override, onSessionEnd: .ask, time: .system,
            observers: observers)
    }

    /// Each provider with its account, or why it has none.
    public func report() async throws -> [String] {
        try await client.explain(scopes: ["read"]).map { attempt in
            let text: String =
                switch attempt.outcome {
                case .account(let account) where client.isOnlyConfigured(account): "\(account) without a token"
                case .account(let account): "\(account)"
                case .absent(let reason): "\(reason)"
                case .passedOver(let error), .failed(let error): Complaint(error).text
                }
            let instead = attempt.fallback.map { " instead of \($0.from): \($0.reason), \($0.cause.rawValue)" }
            let since = attempt.suspension.map { " suspended: \($0.reason)" }
            return "\(attempt.provider), \(attempt.question.rawValue): \(text)\(instead ?? "")\(since ?? "")"
        }
    }

    /// A line for operators.
    public func health() async -> String {
        let health = await client.health
        if let failure = health.storeFailure { return "store: \(failure.message)" }
        let oldest = health.oldestUnstoredResult.map { ", the oldest since \($0)" } ?? ""
        let figures = ClientHealth.Figure.allCases.compactMap { figure in
            health.figures[figure].map { ", \(figure.rawValue): \($0)" }
        }
        return "ready: \(health.isReady)\(oldest)\(figures.joined())"
    }

    /// Reports on health and takes over what changes in a file, until the task is cancelled or the process is ended.
    public func run(following file: URL) async {
        #if os(Linux) || os(macOS)
        let signals = TerminationSignals(waitingFor: environment, atMost: .seconds(10))
        defer { withExtendedLifetime(signals) {} }
        #endif
        async let reports: Void = client.run()
        await client.follow(file, profile: "shop", every: .seconds(5))
        await reports
    }

    /// Waits at the end of the program until no refresh is under way.
    public func close() async -> Bool { await environment.close(within: .seconds(5)) }
}
