import IdentityKit

/// Checks a provider against the rules for identity providers, such as in a test of a plug-in:
///
/// ```swift
/// @Test(arguments: ProviderRule.allCases)
/// func conforms(rule: ProviderRule) async {
///     let result = await ProviderConformance.check(rule) { try await makeProviderUnderTest() }
///     #expect(result.passes, "\(result)")
/// }
/// ```
///
/// A rule that applies but could not be checked fails, like a broken rule. A rule is left out
/// when the provider's protocols or ``ProviderUnderTest/lacks`` give a reason why it does not apply.
public enum ProviderConformance {
    /// Default time after which a rule counts as broken: ten minutes, and longer on a busy Linux machine. Only a provider
    /// that never answers should need this long.
    public static let patience = Patience.limit

    /// Checks all rules one after another, each on a provider of its own.
    /// - Parameters:
    ///   - patience: the time after which a rule counts as broken.
    ///   - make: creates a provider without a signed-in account. If it throws, the rule counts as broken.
    public static func check(
        patience: Duration = ProviderConformance.patience,
        _ make: @escaping @Sendable () async throws -> ProviderUnderTest
    ) async -> ProviderReport {
        var results: [ProviderRuleResult] = []
        for rule in ProviderRule.allCases { results.append(await check(rule, patience: patience, make)) }
        return ProviderReport(results: results)
    }

    /// Checks one rule on a new provider, and cleans up with ``ProviderUnderTest/finish``.
    /// - Parameters:
    ///   - rule: the rule to check.
    ///   - patience: the time after which the rule counts as broken.
    ///   - make: creates a provider without a signed-in account. If it throws, the rule counts as broken.
    public static func check(
        _ rule: ProviderRule, patience: Duration = ProviderConformance.patience,
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
        if let reason = subject.reasonToLeaveOut(rule) { return .leftOut(reason) }
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

struct BrokenRuleError: Error {
    let detail: String
}

struct MissingMeansError: Error {
    let detail: String
}
