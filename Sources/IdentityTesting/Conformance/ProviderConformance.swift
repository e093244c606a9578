import IdentityKit

/// Checks a provider against the rules of the contract, from a test of a plug-in:
///
/// ```swift
/// @Test(arguments: ProviderRule.allCases)
/// func conforms(rule: ProviderRule) async {
///     let result = await ProviderConformance.check(rule) { try await makeProviderUnderTest() }
///     #expect(result.passes, "\(result)")
/// }
/// ```
///
/// A rule that applies but could not be checked fails like a broken one. A rule that does not apply is left out, with a
/// reason that follows from the provider's protocols or from ``ProviderUnderTest/lacks``.
public enum ProviderConformance {
    /// Default time after which a rule counts as broken: ten minutes, and longer on a busy machine. Only a provider
    /// that never answers reaches it.
    public static let patience = Patience.limit

    /// Checks every rule, each on a provider of its own.
    /// - Parameters:
    ///   - patience: the time after which a rule counts as broken.
    ///   - make: makes a provider without a signed-in account.
    public static func check(
        patience: Duration = ProviderConformance.patience,
        _ make: @escaping @Sendable () async throws -> ProviderUnderTest
    ) async -> ProviderReport {
        var results: [ProviderRuleResult] = []
        for rule in ProviderRule.allCases { results.append(await check(rule, patience: patience, make)) }
        return ProviderReport(results: results)
    }

    /// Checks one rule.
    /// - Parameters:
    ///   - rule: the rule.
    ///   - patience: the time after which the rule counts as broken.
    ///   - make: makes a provider without a signed-in account.
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
