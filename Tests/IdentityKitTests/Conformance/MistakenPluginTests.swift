import IdentityTesting
import Testing

/// Each mistake of an author is found under the rule that names it.
@Suite struct MistakenPluginTests {
    @Test("A mistake of a plug-in breaks the rule that names it", arguments: MistakenPlugin.Mistake.allCases)
    func mistakes(mistake: MistakenPlugin.Mistake) async throws {
        let result = await ProviderConformance.check(mistake.rule) { try await MistakenPlugin.subject(mistake) }
        guard case .broken(let detail) = result.verdict else {
            Issue.record("\(result)")
            return
        }
        // The rule breaks for what is wrong, and not because something could not be tried.
        #expect(!detail.hasPrefix("the provider could not be made"), "\(result)")
    }

    @Test("Without a mistake the plug-in keeps every rule")
    func without() async {
        let report = await ProviderConformance.check { try await MistakenPlugin.subject(nil) }
        #expect(report.kept == ProviderRule.allCases, "\(report)")
    }

    @Test("A refresh token that was replaced is noticed although the backend takes it")
    func lenient() async {
        let kept = await ProviderConformance.check(.rotationIsFollowed) {
            try await MistakenPlugin.subject(nil, isLenient: true)
        }
        #expect(kept.verdict == .kept, "\(kept)")
        let broken = await ProviderConformance.check(.rotationIsFollowed) {
            try await MistakenPlugin.subject(.oldRefreshToken, isLenient: true)
        }
        #expect(broken.verdict == .broken("a refresh token is sent that the backend has replaced"), "\(broken)")
    }
}
