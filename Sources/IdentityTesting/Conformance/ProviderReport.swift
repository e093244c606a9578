/// The results of checking a provider against all rules.
public struct ProviderReport: Sendable {
    /// Results, one for each rule, in the order of the rules.
    public let results: [ProviderRuleResult]

    package init(results: [ProviderRuleResult]) { self.results = results }

    /// Whether every rule that applies was checked and is followed.
    public var passes: Bool { results.allSatisfy(\.passes) }
    /// The rules that the provider follows.
    public var kept: [ProviderRule] { results.filter { $0.verdict == .kept }.map(\.rule) }
    /// The rules that the provider breaks.
    public var broken: [ProviderRule] { results.filter(\.isBroken).map(\.rule) }
    /// The rules that apply but could not be checked.
    public var notChecked: [ProviderRule] { results.filter(\.isUnchecked).map(\.rule) }
    /// The rules that do not apply, with the reasons.
    public var leftOut: [ProviderRule: String] {
        results.reduce(into: [:]) { leftOut, result in
            if case .leftOut(let reason) = result.verdict { leftOut[result.rule] = reason }
        }
    }
}

extension ProviderReport: CustomStringConvertible {
    /// A line for each rule.
    public var description: String { results.map(\.description).joined(separator: "\n") }
}

/// The result of checking one rule.
public struct ProviderRuleResult: Sendable, CustomStringConvertible {
    public let rule: ProviderRule
    public let verdict: Verdict

    /// The possible results.
    public enum Verdict: Sendable, Equatable {
        /// The provider follows the rule.
        case kept
        /// The provider breaks the rule; the text says how.
        case broken(String)
        /// The rule applies but could not be checked; the text says what is missing.
        case notChecked(String)
        /// The rule does not apply; the text says why.
        case leftOut(String)
    }

    /// Whether the provider follows the rule, or the rule does not apply to it.
    public var passes: Bool {
        switch verdict {
        case .kept, .leftOut: true
        case .broken, .notChecked: false
        }
    }

    public var description: String {
        switch verdict {
        case .kept: "kept: \(rule)"
        case .broken(let detail): "BROKEN: \(rule): \(detail)"
        case .notChecked(let detail): "NOT CHECKED: \(rule): \(detail)"
        case .leftOut(let reason): "left out: \(rule): it does not apply, because \(reason)"
        }
    }

    fileprivate var isBroken: Bool {
        if case .broken = verdict { true } else { false }
    }

    fileprivate var isUnchecked: Bool {
        if case .notChecked = verdict { true } else { false }
    }
}
