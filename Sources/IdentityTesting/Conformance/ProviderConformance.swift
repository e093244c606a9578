import IdentityKit

/// Checks a provider against the rules of the contract, from a test of a plug-in:
///
/// ```swift
/// @Test(arguments: ProviderRule.allCases)
/// func conforms(rule: ProviderRule) async {
///     let result = await ProviderConformance.check(rule) { try await makeProviderUnderTest() }
///     #expect(!result.isBroken, "\(result)")
/// }
/// ```
public enum ProviderConformance {
    /// Checks every rule, each on a provider of its own.
    /// - Parameters:
    ///   - patience: the time after which a rule counts as broken.
    ///   - make: makes a provider without a signed-in account.
    public static func check(
        patience: Duration = .seconds(300), _ make: @escaping @Sendable () async throws -> ProviderUnderTest
    ) async -> [ProviderRuleResult] {
        var results: [ProviderRuleResult] = []
        for rule in ProviderRule.allCases { results.append(await check(rule, patience: patience, make)) }
        return results
    }

    /// Checks one rule.
    /// - Parameters:
    ///   - rule: the rule.
    ///   - patience: the time after which it counts as broken.
    ///   - make: makes a provider without a signed-in account.
    public static func check(
        _ rule: ProviderRule, patience: Duration = .seconds(300),
        _ make: @escaping @Sendable () async throws -> ProviderUnderTest
    ) async -> ProviderRuleResult {
        do {
            let subject = try await make()
            let verdict = await verdict(on: rule, patience: patience, subject)
            await subject.finish()
            return ProviderRuleResult(rule: rule, verdict: verdict)
        } catch {
            return ProviderRuleResult(rule: rule, verdict: .broken("the provider could not be made: \(error)"))
        }
    }

    private static func verdict(
        on rule: ProviderRule, patience: Duration, _ subject: ProviderUnderTest
    ) async -> ProviderRuleResult.Verdict {
        let check = ProviderCheck(subject: subject)
        do {
            try await Deadline.run(
                patience, on: .system, orThrow: BrokenRuleError(detail: "it takes longer than \(patience)")
            ) {
                try await check.run(rule)
            }
            return .kept
        } catch let broken as BrokenRuleError {
            return .broken(broken.detail)
        } catch let missing as MissingMeansError {
            return .notChecked(missing.detail)
        } catch {
            return .broken("unexpected \(type(of: error)): \(error.identityMessage)")
        }
    }
}

/// The result of checking one rule.
public struct ProviderRuleResult: Sendable, CustomStringConvertible {
    /// The rule.
    public let rule: ProviderRule
    /// The verdict.
    public let verdict: Verdict

    /// The possible results.
    public enum Verdict: Sendable, Equatable {
        /// The provider follows the rule.
        case kept
        /// It breaks the rule; the text says how.
        case broken(String)
        /// The rule could not be checked; the text says what is missing.
        case notChecked(String)
    }

    /// Whether the provider breaks the rule.
    public var isBroken: Bool {
        if case .broken = verdict { true } else { false }
    }

    /// The rule with the verdict.
    public var description: String {
        switch verdict {
        case .kept: "kept: \(rule)"
        case .broken(let detail): "BROKEN: \(rule): \(detail)"
        case .notChecked(let detail): "not checked: \(rule): \(detail)"
        }
    }
}

/// A rule is broken.
struct BrokenRuleError: Error {
    let detail: String
}

/// A closure that a rule needs is missing.
struct MissingMeansError: Error {
    let detail: String
}
