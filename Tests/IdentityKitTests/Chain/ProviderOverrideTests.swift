import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite struct ProviderOverrideTests {
    private static let registry = ProviderRegistry([ScriptedPlugin.self])

    private enum ScriptedPlugin: ProviderPlugin {
        static let type = "scripted"

        struct Settings: Decodable, Sendable { let account: String }

        static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
            ScriptedProvider(context.name, silent: .account(settings.account))
        }
    }

    private let configuration = IdentityConfiguration(
        providers: ["work", "home", "ci"].map {
            ProviderConfiguration(name: $0, type: "scripted", settings: ["account": "ada"])
        })

    private func chain(
        _ variable: String?, override: ProviderOverride? = nil, isRequired: Bool = false
    ) throws -> IdentityProviderChain {
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), variables: variable.map { [ProviderOverride.variable: $0] } ?? [:])
        return try Self.registry.makeChain(
            for: configuration, environment: environment, override: override, requiresProviderVariable: isRequired)
    }

    @Test(
        "C12: The variable decides who is asked, in which order",
        arguments: [
            (nil, ["work", "home", "ci"]), ("", ["work", "home", "ci"]), ("home", ["home"]),
            ("ci,work", ["ci", "work"]), (" ci , work ", ["ci", "work"]), ("ci,ci", ["ci"]), ("-work", ["home", "ci"]),
            ("-work,-home", ["ci"]), ("work,home,-work", ["home"]), ("-work,-home,-ci", []),
        ] as [(String?, [String])])
    func variable(value: String?, asked: [String]) async throws {
        let attempts = try await chain(value).explain(scopes: [], deviceToken: "d")
        #expect(attempts.filter { if case .account = $0.outcome { true } else { false } }.map(\.provider) == asked)
        #expect(try await chain(value).silentAccount(scopes: [], deviceToken: "d").account?.realm == asked.first)
        // Those kept out are told too, with the reason.
        #expect(attempts.count == 3)
        for attempt in attempts.dropFirst(asked.count) {
            #expect(attempt.description.hasPrefix("\(attempt.provider): excluded by SWIFT_IDENTITY_PROVIDER="))
        }
    }

    @Test("An unknown name lists the known ones", arguments: ["hom", "work,hom", "-hom"])
    func unknown(value: String) {
        let error = ChainUsageError.unknownProvider(
            "hom", known: ["work", "home", "ci"], namedBy: "SWIFT_IDENTITY_PROVIDER=\(value)")
        #expect(throws: error) { try chain(value) }
        #expect(error.message.hasPrefix("SWIFT_IDENTITY_PROVIDER="))
    }

    @Test("Code beats the environment")
    func code() async throws {
        let chain = try chain("home", override: .only("ci"))
        #expect(try await chain.silentAccount(scopes: [], deviceToken: "d").account?.realm == "ci")
        let all = try self.chain("home", override: .excluding())
        #expect(try await all.silentAccount(scopes: [], deviceToken: "d").account?.realm == "work")
    }

    @Test("Where the variable is required, nothing is chosen by chance")
    func required() throws {
        #expect(throws: ChainUsageError.providerVariableMissing(known: ["work", "home", "ci"])) {
            try chain(nil, isRequired: true)
        }
        #expect(throws: Never.self) { try chain("ci", isRequired: true) }
        #expect(throws: Never.self) { try chain(nil, override: .only("ci"), isRequired: true) }
    }

    @Test("A provider kept out gives no token and shows no sign-in, and the shared choice is left alone")
    func keptOut() async throws {
        let fixture = ChainFixture([.account("ada"), .account("ada"), .absent(.neverSignedIn)])
        try await fixture.choose(.ada("first"))
        let chain = try fixture.chain(override: .only("second"))
        let error = ChainUsageError.excluded(provider: "first", override: "the app")
        await #expect(throws: error) { try await chain.accessToken(for: .ada("first"), scopes: []) }
        await #expect(throws: error) { try await chain.signIn(with: "first", scopes: [], deviceToken: "d") }
        #expect(try await chain.silentAccount(scopes: [], deviceToken: "d").account == .ada("second"))
        #expect(try await fixture.selection() == .ada("first"))
        #expect(fixture.providers[0].calls == [])
    }
}
