/// The results of checking a provider against all rules.
public struct ProviderReport: Sendable {
    /// Results, one for each rule, in the order in which ``ProviderRule`` declares the rules.
    public let results: [ProviderRuleResult]

    package init(results: [ProviderRuleResult]) { self.results = results }

    /// Whether the provider follows every rule that applies to it. `false` if such a rule could not be checked.
    public var passes: Bool { results.allSatisfy(\.passes) }
    /// The rules that were checked and that the provider follows.
    public var kept: [ProviderRule] { results.filter { $0.verdict == .kept }.map(\.rule) }
    /// The rules that the provider breaks, including those whose check took too long.
    public var broken: [ProviderRule] { results.filter(\.isBroken).map(\.rule) }
    /// The rules that apply but could not be checked, such as when a closure of ``ProviderUnderTest`` is not set.
    public var notChecked: [ProviderRule] { results.filter(\.isUnchecked).map(\.rule) }
    /// The rules that do not apply, with the reasons.
    public var leftOut: [ProviderRule: String] {
        results.reduce(into: [:]) { leftOut, result in
            if case .leftOut(let reason) = result.verdict { leftOut[result.rule] = reason }
        }
    }
}

extension ProviderReport: CustomStringConvertible {
    /// The descriptions of the results, one line for each rule.
    public var description: String { results.map(\.description).joined(separator: "\n") }
}

/// The result of checking a provider against one rule.
public struct ProviderRuleResult: Sendable, CustomStringConvertible {
    public let rule: ProviderRule
    public let verdict: Verdict

    /// Outcomes of the check of a rule.
    public enum Verdict: Sendable, Equatable {
        /// The provider follows the rule.
        case kept
        /// The provider breaks the rule. The text describes how.
        case broken(String)
        /// The rule applies but could not be checked. The text describes why, such as a closure that is not set.
        case notChecked(String)
        /// The rule does not apply. The text is the reason.
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
