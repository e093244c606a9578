import Foundation
import IdentityKit
import IdentityTesting
import Testing

@Suite struct ProviderConformanceTests {
    private static func flawed(
        _ flaw: ProviderRule, leak: FlawedProvider.Leak = .passwordInText, isTried: Bool = false
    ) async throws -> ProviderUnderTest {
        let (good, screen) = (try await AcmeConformanceTests.subject(), InteractionCounter())
        let provider = try #require(FlawedProvider(flaw, good.provider, screen: screen, leak: leak, isTried: isTried))
        var subject = ProviderUnderTest(provider) { try await good.signIn() }
        (subject.wire, subject.clock) = (good.wire, good.clock)
        (subject.restart, subject.configure) = (good.restart, good.configure)
        subject.expire = {
            try await good.expire?()
            provider.expire()
        }
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

    @Test("A mistake turns the rule red that it breaks, and no other", arguments: FlawedProvider.rules)
    func flaws(rule: ProviderRule) async {
        var results: [ProviderRuleResult] = []
        for checked in ProviderRule.allCases {
            results.append(
                await ProviderConformance.check(checked) { try await Self.flawed(rule, isTried: checked == rule) })
        }
        let report = ProviderReport(results: results)
        #expect(report.broken == [rule] && report.notChecked.isEmpty && report.leftOut.isEmpty, "\(report)")
        #expect(!report.passes)
        #expect(!report.description.contains("could not be made"))
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
        let report = await ProviderConformance.check { try await AcmeConformanceTests.subject() }
        #expect(report.results.map(\.rule) == ProviderRule.allCases)
        #expect(report.passes && report.kept == ProviderRule.allCases, "\(report)")
    }

    @Test("A provider that never answers breaks the rule instead of stopping the tests")
    func hang() async {
        let result = await ProviderConformance.check(.absenceIsNoError, patience: .milliseconds(50)) {
            ProviderUnderTest(ScriptedProvider("slow", silent: .hang)) { .ada("slow") }
        }
        #expect(result.isBroken)
    }

    @Test("A rule that applies and could not be checked fails, and says what is missing")
    func missing() async {
        let errors: [ProviderRule] = [.errorsAreClassified, .noSecretShows]
        await expectNotChecked(
            errors + [
                .tokensFitAHeader, .expiredTokenIsRefreshed, .refreshesOnce, .rotationIsFollowed, .clockIsTheGivenOne,
                .cancelledCallerLeavesAlone, .offlineKeepsTheAccount, .revocationIsDefinitive,
            ], for: "expire"
        ) { $0.expire = nil }
        await expectNotChecked(errors + [.revocationIsDefinitive], for: "revoke") { $0.revoke = nil }
        await expectNotChecked(errors + [.offlineKeepsTheAccount, .signOutWorksOffline], for: "goOffline") {
            $0.goOffline = nil
        }
        await expectNotChecked(errors + [.givingUpThrows], for: "giveUpSignIn") { $0.giveUpSignIn = nil }
        await expectNotChecked(errors + [.missingScopeIsRefused], for: "missingScope") { $0.missingScope = nil }
        await expectNotChecked([.silenceShowsNothing, .signInIsFound], for: "interactions") { $0.interactions = nil }
        await expectNotChecked(
            [
                .validTokenIsKept, .refreshesOnce, .rotationIsFollowed, .clockIsTheGivenOne, .refusedTokenIsReplaced,
            ], for: "refreshes"
        ) { $0.refreshes = nil }
        await expectNotChecked(errors + [.rotationIsFollowed], for: "wire") { $0.wire = nil }
        await expectNotChecked(errors + [.realmsAreConfigured, .plainHTTPIsRefused], for: "configure") {
            $0.configure = nil
        }
        await expectNotChecked([.clockIsTheGivenOne], for: "clock") { $0.clock = nil }
        await expectNotChecked([.sessionOutlivesRestart], for: "restart") { $0.restart = nil }
        await expectNotChecked([.noSecretShows], for: "log") { $0.lacks[.log] = nil }
    }

    private func expectNotChecked(
        _ rules: [ProviderRule], for name: String,
        without removal: @escaping @Sendable (inout ProviderUnderTest) -> Void
    ) async {
        let report = await ProviderConformance.check {
            var subject = try await AcmeConformanceTests.subject()
            removal(&subject)
            return subject
        }
        #expect(Set(report.notChecked) == Set(rules) && report.broken.isEmpty && !report.passes, "\(report)")
        for result in report.results where rules.contains(result.rule) {
            #expect(!result.passes)
            #expect(result.description.contains("ProviderUnderTest.\(name) is not set"), "\(result)")
        }
    }

    @Test("What a provider lacks is left out with the reason, and everything else is checked")
    func lacks() async {
        for (ability, rules) in [
            (.scopes, [.missingScopeIsRefused]),
            (.server, [.offlineKeepsTheAccount, .signOutWorksOffline, .plainHTTPIsRefused]),
            (.settings, [.realmsAreConfigured, .plainHTTPIsRefused]), (.storage, [.sessionOutlivesRestart]),
            (.revocation, [.revocationIsDefinitive]), (.log, []),
        ] as [(ProviderAbility, [ProviderRule])] {
            let report = await ProviderConformance.check {
                var subject = try await AcmeConformanceTests.subject()
                subject.lacks[ability] = "it has none"
                switch ability {
                case .scopes: subject.missingScope = nil
                case .server: (subject.goOffline, subject.wire) = (nil, nil)
                case .settings: subject.configure = nil
                case .storage: subject.restart = nil
                default: subject.revoke = nil
                }
                return subject
            }
            let expected = Set(rules).union(ability == .server ? [.revocationIsDefinitive] : [])
            #expect(Set(report.leftOut.keys) == expected, "\(report)")
            #expect(report.leftOut.values.allSatisfy { $0 == "it has none" })
            #expect(ability == .log || report.passes, "\(report)")
        }
    }

    @Test("A provider of three methods about which nothing is known is not passed over in silence")
    func unknown() async {
        let report = await ProviderConformance.check {
            ProviderUnderTest(PlainProvider(account: .ada("plain"))) { .ada("plain") }
        }
        #expect(report.broken.isEmpty && !report.passes, "\(report)")
        #expect(report.kept == [.accountsAreItsOwn, .strangersAreRefused, .anyThread])
        #expect(
            Set(report.leftOut.keys) == [
                .absenceIsNoError, .silenceShowsNothing, .refusedTokenIsReplaced, .signOutEnds, .signOutWorksOffline,
            ])
        #expect(
            report.description.contains(
                "left out: signing out ends the session, also twice: it does not apply, because"))
    }

    @Test("A provider of three methods that never shows anything is checked for all that applies to it")
    func quiet() async {
        let report = await ProviderConformance.check { Self.quiet(QuietProvider("build", .absent(.neverSignedIn))) }
        #expect(report.passes, "\(report)")
        #expect(
            Set(report.leftOut.keys) == [
                .givingUpThrows, .expiredTokenIsRefreshed, .refreshesOnce, .refusedTokenIsReplaced,
                .missingScopeIsRefused, .offlineKeepsTheAccount, .revocationIsDefinitive, .signOutWorksOffline,
                .realmsAreConfigured, .plainHTTPIsRefused, .sessionOutlivesRestart, .rotationIsFollowed,
                .clockIsTheGivenOne,
            ])
        #expect(report.leftOut[.missingScopeIsRefused] == "its token has none")
    }

    @Test("A provider of three methods with a fixed token passes with one line")
    func fixedToken() async {
        let report = await ProviderConformance.check {
            var subject = ProviderUnderTest(PlainProvider(account: .ada("plain"))) { .ada("plain") }
            subject.lacks = .all(because: "its token is fixed")
            return subject
        }
        #expect(report.passes, "\(report)")
        #expect(
            report.kept == [
                .signInIsFound, .accountsAreItsOwn, .validTokenIsKept, .tokensFitAHeader, .strangersAreRefused,
                .anyThread, .cancelledCallerLeavesAlone, .errorsAreClassified, .noSecretShows,
            ])
        #expect(report.leftOut[.rotationIsFollowed] == "its token is fixed")
    }

    @Test(
        "A mistake of a provider of three methods turns the rule red that it breaks, and no other",
        arguments: [
            (ProviderRule.absenceIsNoError, ThreeMethods.Flaw.inventsAnAccount), (.silenceShowsNothing, .showsAPage),
            (.accountsAreItsOwn, .hasNoIdentifier), (.strangersAreRefused, .trustsAnybody),
            (.signOutEnds, .forgetsNothing), (.errorsAreClassified, .throwsAnything), (.noSecretShows, .tellsItsToken),
        ])
    func threeMethods(rule: ProviderRule, flaw: ThreeMethods.Flaw) async {
        let report = await ProviderConformance.check {
            let provider = ThreeMethods(flaw)
            var subject = ProviderUnderTest(provider) { provider.signIn() }
            subject.signOut = { _ in provider.signOut() }
            subject.interactions = { provider.pages }
            subject.lacks = .all(because: "its token is given")
            subject.lacks[.signIn] = nil
            return subject
        }
        #expect(report.broken == [rule] && report.notChecked.isEmpty, "\(report)")
        #expect(!report.description.contains("could not be made"))
    }

    /// What a token lacks that somebody else gave.
    private static let given: [ProviderAbility: String] = [
        .refresh: "its token is given", .scopes: "its token has none", .server: "it asks nobody",
        .settings: "it is made in code", .storage: "its token is given at every start", .log: "it writes none",
    ]

    private static func quiet(_ provider: QuietProvider) -> ProviderUnderTest {
        var subject = ProviderUnderTest(provider) {
            provider.set(.account("ada"))
            return .ada("build")
        }
        subject.signOut = { _ in provider.set(.absent(.signedOut)) }
        subject.interactions = { 0 }
        subject.lacks = given
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
        #expect(given.passes, "\(given)")
        let environment = await ProviderConformance.check(rule) {
            let provider = EnvironmentTokenProvider(account: .ada("ci"), read: { _ in "environment-secret-token" })
            try await provider.signOut(.ada("ci"))
            return Self.fixed(provider)
        }
        #expect(environment.passes, "\(environment)")
    }

    private static func fixed(_ provider: any SessionProvider) -> ProviderUnderTest {
        var subject = ProviderUnderTest(provider) {
            try #require(await provider.signIn(scopes: [], deviceToken: "d"))
        }
        subject.lacks = given
        subject.interactions = { 0 }
        return subject
    }
}

extension ProviderRuleResult {
    fileprivate var isBroken: Bool {
        if case .broken = verdict { true } else { false }
    }
}
