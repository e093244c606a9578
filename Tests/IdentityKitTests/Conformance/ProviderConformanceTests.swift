import Foundation
import IdentityKit
import IdentityTesting
import Testing

@Suite struct ProviderConformanceTests {
    private static func flawed(
        _ flaw: ProviderRule, leak: FlawedProvider.Leak = .passwordInText
    ) async throws -> ProviderUnderTest {
        let (good, screen) = (try await AcmeConformanceTests.subject(), InteractionCounter())
        let provider = try #require(FlawedProvider(flaw, good, screen: screen, leak: leak))
        var subject = ProviderUnderTest(provider) { try await good.signIn() }
        subject.expire = good.expire
        subject.revoke = good.revoke
        subject.goOffline = good.goOffline
        subject.refreshes = good.refreshes
        subject.missingScope = good.missingScope
        subject.secrets = good.secrets
        subject.log = { provider.log }
        subject.interactions = { await (good.interactions?() ?? 0) + screen.count }
        subject.giveUpSignIn = {
            do {
                return try await good.giveUpSignIn?()
            } catch is CancellationError where flaw == .givingUpThrows {
                return nil
            }
        }
        return subject
    }

    @Test("Every rule can be broken, and its check notices", arguments: ProviderRule.allCases)
    func flaws(rule: ProviderRule) async {
        let result = await ProviderConformance.check(rule) { try await Self.flawed(rule) }
        #expect(result.isBroken, "\(result)")
        #expect(!result.description.contains("could not be made"))
    }

    @Test("A secret is noticed wherever it shows", arguments: FlawedProvider.Leak.allCases)
    func leaks(leak: FlawedProvider.Leak) async {
        let result = await ProviderConformance.check(.noSecretShows) {
            try await Self.flawed(.noSecretShows, leak: leak)
        }
        #expect(result.isBroken, "\(result)")
        #expect(!result.description.contains("could not be made"))
    }

    @Test("A good provider keeps every rule, and every rule is checked")
    func good() async {
        let results = await ProviderConformance.check { try await AcmeConformanceTests.subject() }
        #expect(results.map(\.rule) == ProviderRule.allCases)
        for result in results { #expect(result.verdict == .kept, "\(result)") }
    }

    @Test("A provider that never answers breaks the rule instead of stopping the tests")
    func hang() async {
        let result = await ProviderConformance.check(.absenceIsNoError, patience: .milliseconds(50)) {
            ProviderUnderTest(ScriptedProvider("slow", silent: .hang)) { .ada("slow") }
        }
        #expect(result.isBroken)
    }

    @Test("What cannot be checked is said, not passed over in silence")
    func notChecked() async {
        let results = await ProviderConformance.check {
            ProviderUnderTest(PlainProvider(account: .ada("plain"))) { .ada("plain") }
        }
        for result in results { #expect(!result.isBroken, "\(result)") }
        #expect(
            results.filter { $0.verdict == .kept }.map(\.rule) == [
                .signInIsFound, .accountsAreItsOwn, .validTokenIsKept, .strangersAreRefused, .anyThread,
                .cancelledCallerLeavesAlone, .errorsAreClassified, .noSecretShows,
            ])
    }

    @Test("A provider of three methods that never shows anything is checked for all that applies to it")
    func quiet() async {
        let results = await ProviderConformance.check { Self.quiet(QuietProvider("build", .none(.neverSignedIn))) }
        for result in results { #expect(!result.isBroken, "\(result)") }
        #expect(
            results.filter { $0.verdict != .kept }.map(\.rule) == [
                .givingUpThrows, .expiredTokenIsRefreshed, .refreshesOnce, .refusedTokenIsReplaced,
                .missingScopeIsRefused,
                .offlineKeepsTheAccount, .revocationIsDefinitive, .signOutWorksOffline,
            ])
    }

    @Test(
        "A flaw of a provider of three methods is noticed",
        arguments: [
            (ProviderRule.absenceIsNoError, ThreeMethods.Flaw.inventsAnAccount), (.silenceShowsNothing, .showsAPage),
            (.accountsAreItsOwn, .hasNoIdentifier), (.strangersAreRefused, .trustsAnybody),
            (.signOutEnds, .forgetsNothing), (.errorsAreClassified, .throwsAnything), (.noSecretShows, .tellsItsToken),
        ])
    func threeMethods(rule: ProviderRule, flaw: ThreeMethods.Flaw) async {
        let result = await ProviderConformance.check(rule) {
            let provider = ThreeMethods(flaw)
            var subject = ProviderUnderTest(provider) { provider.signIn() }
            subject.signOut = { _ in provider.signOut() }
            subject.interactions = { provider.pages }
            return subject
        }
        #expect(result.isBroken, "\(result)")
        #expect(!result.description.contains("could not be made"))
    }

    private static func quiet(_ provider: QuietProvider) -> ProviderUnderTest {
        var subject = ProviderUnderTest(provider) {
            provider.set(.account("ada"))
            return .ada("build")
        }
        subject.signOut = { _ in provider.set(.none(.signedOut)) }
        subject.interactions = { 0 }
        subject.canRefresh = false
        return subject
    }

    @Test("The small providers keep the contract", arguments: ProviderRule.allCases)
    func smallProviders(rule: ProviderRule) async {
        let given = await ProviderConformance.check(rule) {
            // Nobody signed in is where a check begins.
            let provider = StaticTokenProvider(token: "static-secret-token", account: .ada("script"))
            try await provider.signOut(.ada("script"))
            return Self.fixed(provider)
        }
        #expect(!given.isBroken, "\(given)")
        let environment = await ProviderConformance.check(rule) {
            let provider = EnvironmentTokenProvider(account: .ada("ci"), read: { _ in "environment-secret-token" })
            try await provider.signOut(.ada("ci"))
            return Self.fixed(provider)
        }
        #expect(!environment.isBroken, "\(environment)")
    }

    private static func fixed(_ provider: any SessionProvider) -> ProviderUnderTest {
        var subject = ProviderUnderTest(provider) {
            try #require(await provider.signIn(scopes: [], deviceToken: "d"))
        }
        subject.canRefresh = false
        subject.interactions = { 0 }
        return subject
    }
}
