import Foundation
import IdentityLocalServers
import Testing

@testable import IdentityKit

/// What environment variables do to a configuration: references, overrides, profiles.
@Suite struct ConfigurationVariablesTests {
    private enum ExamplePlugin: ProviderPlugin {
        static let type = "example"

        struct Settings: Decodable, Sendable {
            let account: String
            let isFast: Bool?
            let limit: Int?
            let ratio: Double?
            let home: URL?
        }

        /// An error of a plug-in, which repeats what it refuses.
        struct UnluckyError: Error, CustomStringConvertible {
            let description: String
        }

        static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
            if settings.limit == 13 { throw UnluckyError(description: "\(settings.account) cannot have 13.") }
            let parts = [settings.account, settings.isFast.map { "\($0)" }, settings.limit.map { "\($0)" }]
            return ScriptedProvider(context.name, silent: .account(parts.compactMap { $0 }.joined(separator: " ")))
        }
    }

    private func account(_ settings: String, _ variables: [String: String]) async throws -> String? {
        let text = #"{"providers": [{"name": "my-work", "type": "example", "settings": \#(settings)}]}"#
        let configuration = try IdentityConfiguration(parsing: Data(text.utf8), variables: variables)
        let chain = try ProviderRegistry([ExamplePlugin.self]).makeChain(
            for: configuration, environment: IdentityEnvironment(store: MemoryTokenStore(), variables: variables))
        return try await chain.silentAccount(scopes: [], deviceToken: "d").account?.account
    }

    @Test(
        "A reference stands for its variable, alone, among other text, and as a boolean or a number",
        arguments: [
            (#"{"account": "${A}"}"#, "ada"), (#"{"account": "x-${A}-${B}"}"#, "x-ada-7"),
            (#"{"account": "$${A}"}"#, "${A}"), (#"{"account": "5$"}"#, "5$"), (#"{"account": "${C}"}"#, "${A}"),
            (#"{"account": "a", "isFast": "${T}", "limit": "${B}"}"#, "a true 7"),
        ])
    func references(settings: String, expected: String) async throws {
        let variables = ["A": "ada", "B": "7", "C": "${A}", "T": "true"]
        #expect(try await account(settings, variables) == expected)
    }

    @Test(
        "What is wrong with a reference is told with its key path, and never with the variable's text",
        arguments: [
            (
                #"{"account": "${NOPE}"}"#,
                ConfigurationError.missingVariable(keyPath: "providers[0].settings.account", name: "NOPE")
            ),
            (
                #"{"account": "${A"}"#,
                .invalidValue(keyPath: "providers[0].settings.account", reason: "A reference ${ has no }.")
            ),
            (
                #"{"account": "a", "home": "${SECRET}"}"#,
                .invalidValue(
                    keyPath: "providers[0].settings.home", reason: "\"${SECRET}\" is not an absolute URL.")
            ),
            (
                #"{"account": "${SECRET}", "limit": 13}"#,
                .invalidValue(keyPath: "providers[0].settings", reason: "${SECRET} cannot have 13.")
            ),
            (
                #"{"account": "a", "limit": "${SECRET}"}"#,
                .wrongType(
                    keyPath: "providers[0].settings.limit", expected: "a whole number", found: "a string")
            ),
            (
                #"{"account": "a", "limit": "7"}"#,
                .wrongType(
                    keyPath: "providers[0].settings.limit", expected: "a whole number", found: "a string")
            ),
        ])
    func wrongReferences(settings: String, error: ConfigurationError) async {
        await #expect(throws: error) { try await account(settings, ["A": "ada", "SECRET": "s3cret-key"]) }
    }

    @Test(
        "A reason that quotes a setting shows its references, however short the variable's text is, and is readable",
        arguments: [("${S}", "a"), ("x-${S}/on", "on"), ("long${S}", "lon"), ("x${S}", ""), ("${S}-${S}", "1")])
    func shortText(home: String, text: String) async {
        let error = ConfigurationError.invalidValue(
            keyPath: "providers[0].settings.home", reason: "\"\(home)\" is not an absolute URL.")
        await #expect(throws: error) { try await account(#"{"account": "a", "home": "\#(home)"}"#, ["S": text]) }
    }

    @Test(
        "A variable overrides one setting, an existing one or a new one",
        arguments: [
            (["SWIFT_IDENTITY__my_work__account": "eve"], "eve"),
            (["SWIFT_IDENTITY__MY_WORK__account": "eve", "SWIFT_IDENTITY__my_work__limit": "3"], "eve 3"),
            (["SWIFT_IDENTITY__my_work__isFast": "false"], "ada false"),
            (["SWIFT_IDENTITY_OTHER": "x"], "ada"),
        ])
    func overrides(variables: [String: String], expected: String) async throws {
        #expect(try await account(#"{"account": "ada"}"#, variables) == expected)
    }

    @Test(
        "An override of nothing is an error", arguments: ["SWIFT_IDENTITY__other__account", "SWIFT_IDENTITY__my_work"])
    func unknownOverride(variable: String) async {
        await #expect(throws: ConfigurationError.unknownOverride(variable: variable, known: ["my-work"])) {
            try await account(#"{"account": "ada"}"#, [variable: "x"])
        }
    }

    @Test("An override of a setting that does not exist is an unknown key")
    func unknownSetting() async {
        let error = await #expect(throws: ConfigurationError.self) {
            try await account(#"{"account": "ada"}"#, ["SWIFT_IDENTITY__my_work__acount": "x"])
        }
        #expect(error?.failureCode == "configuration_unknown_key")
    }

    @Test("The store takes references and overrides too")
    func store() throws {
        let text =
            #"{"store": {"type": "file", "folder": "${HERE}/store"}, "providers": [{"name": "a", "type": "t", "settings": {}}]}"#
        let plain = try IdentityConfiguration(parsing: Data(text.utf8), variables: ["HERE": "/here"])
        #expect(plain.store == .file(folder: "/here/store"))
        let overridden = try IdentityConfiguration(
            parsing: Data(text.utf8), variables: ["SWIFT_IDENTITY__store__folder": "/there"])
        #expect(overridden.store == .file(folder: "/there"))
    }

    @Test(
        "What is wrong with the store's paths is told without a variable's text",
        arguments: [
            (#"{"type": "file", "folder": "~${SECRET}/store"}"#, "store.folder"),
            (
                #"{"type": "file", "folder": "/a", "key": {"home": "keyFile", "path": "~${SECRET}/store"}}"#,
                "store.key.path"
            ),
        ])
    func wrongStore(store: String, keyPath: String) throws {
        let text = #"{"store": \#(store), "providers": [{"name": "a", "type": "t", "settings": {}}]}"#
        let error = #expect(throws: ConfigurationError.self) {
            try IdentityConfiguration(parsing: Data(text.utf8), variables: ["SECRET": "s3cret"])
        }
        guard case .invalidValue(keyPath, let reason) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasPrefix(#""~${SECRET}/store" begins"#))
    }

    @Test("A configuration keeps references, so that printing it shows no secret")
    func printing() throws {
        let text = #"{"providers": [{"name": "a", "type": "t", "settings": {"token": "${TOKEN}"}}]}"#
        let variables = ["TOKEN": "s3cret", "SWIFT_IDENTITY__a__key": "s3cret"]
        let configuration = try IdentityConfiguration(parsing: Data(text.utf8), variables: variables)
        #expect(configuration.providers[0].settings == ["token": "${TOKEN}", "key": "${SWIFT_IDENTITY__a__key}"])
    }

    // MARK: Profiles

    private let profiles = """
        {"$schema": "x", "defaultProfile": "production", "profiles": {
          "production": {"providers": [{"name": "work", "type": "t", "settings": {}}]},
          "development": {"providers": [{"name": "local", "type": 1, "settings": {}}]}
        }}
        """

    @Test("A profile is chosen by code, by the environment, by the document, in this order")
    func profile() throws {
        let data = Data(profiles.utf8)
        #expect(try IdentityConfiguration.profiles(in: data) == ["development", "production"])
        let chosen = try IdentityConfiguration(parsing: data, variables: [:])
        #expect(chosen.profile == "production")
        #expect(chosen.providers.map(\.name) == ["work"])
        let environment = ["SWIFT_IDENTITY_PROFILE": "development"]
        #expect(
            throws: ConfigurationError.wrongType(
                keyPath: "profiles.development.providers[0].type", expected: "a string", found: "a number")
        ) { try IdentityConfiguration(parsing: data, variables: environment) }
        #expect(
            try IdentityConfiguration(parsing: data, profile: "production", variables: environment).profile
                == "production")
        #expect(throws: ConfigurationError.unknownProfile("test", known: ["development", "production"])) {
            try IdentityConfiguration(parsing: data, profile: "test", variables: [:])
        }
    }

    @Test("Errors of a profile's providers name the profile")
    func profileErrors() throws {
        let configuration = try IdentityConfiguration(parsing: Data(profiles.utf8), variables: [:])
        let error = #expect(throws: ConfigurationError.self) {
            try ProviderRegistry().makeChain(
                for: configuration, environment: IdentityEnvironment(store: MemoryTokenStore(), variables: [:]))
        }
        #expect(
            error
                == .unknownProviderType(
                    keyPath: "profiles.production.providers[0].type", type: "t", registered: []))
    }

    @Test("A provider type that is not known is told with those that are", arguments: [[], ["static-token", "other"]])
    func unknownType(registered: [String]) {
        let error = ConfigurationError.unknownProviderType(keyPath: "p", type: "acme", registered: registered)
        let known = registered.isEmpty ? "none" : "static-token, other"
        #expect(
            error.message == "p is \"acme\", a provider type that this program does not know. Known: \(known). "
                + "Whoever builds the program can add others.")
    }

    private static func registry() -> ProviderRegistry { ProviderRegistry([StaticTokenPlugin.self]) }

    private func client(_ store: any TokenStore, _ variables: [String: String] = [:]) throws -> IdentityClient {
        try IdentityClient(
            configuration: IdentityConfiguration(providers: [
                ProviderConfiguration(name: "work", type: "static-token", settings: ["token": "${NOPE}"]),
                ProviderConfiguration(name: "home", type: "static-token", settings: ["token": "t"]),
            ]), registry: Self.registry(), environment: IdentityEnvironment(store: store, variables: variables))
    }

    @Test("A walk stops at a provider whose variable is not set, and names the variable")
    func unmade() async throws {
        let client = try client(MemoryTokenStore())
        for call in [
            { _ = try await client.account() }, { try await client.signIn() }, { _ = try await client.accessToken() },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: ChainError.self) { try await call() }
            #expect(error?.stoppedAt == "work" && error?.failureCode == "configuration_missing_variable")
            #expect(error?.message.contains("NOPE") == true && error?.asksForSignIn == false)
        }
        #expect(throws: ConfigurationError.self) {
            try Self.registry().makeProviders(
                for: IdentityConfiguration(providers: [
                    ProviderConfiguration(name: "work", type: "static-token", settings: ["token": "${NOPE}"])
                ]), environment: client.environment, toleratesMissingVariables: true)
        }
    }

    @Test("Calls that name another provider, and an account chosen before, do without it")
    func unmadeElsewhere() async throws {
        let store = MemoryTokenStore()
        let home = AccountID(account: "home", realm: "home")
        #expect(try await client(store).signIn(with: "home") == home)
        let next = try client(store)
        #expect(try await next.accessToken() == "t")
        #expect(try await next.account() == home)
        await #expect(throws: ConfigurationError.self) {
            try await next.accessToken(as: AccountID(account: "work", realm: "work"))
        }
        // With the variable the same configuration is whole.
        #expect(try await client(store, ["NOPE": "w"]).signIn(with: "work").realm == "work")
    }

    @Test("A new configuration with a variable that is not set is refused, and the old one stays")
    func unmadeReload() async throws {
        let client = try client(MemoryTokenStore(), ["NOPE": "w"])
        #expect(throws: ConfigurationError.self) {
            try client.reconfigure { $0.providers[1].settings = ["token": "${NEITHER}"] }
        }
        #expect(try await client.accessToken() == "w")
    }

    @Test("Each profile has a choice of its own")
    func choices() async throws {
        let store = MemoryTokenStore()
        for profile in ["one", "two"] {
            let provider = ScriptedProvider("work", silent: .account(profile))
            let chain = try IdentityProviderChain(
                [.init("work", provider)], store: store, profile: profile)
            #expect(try await chain.silentAccount(scopes: [], deviceToken: "d").account?.account == profile)
        }
        #expect(try await store.records(in: .currentAccounts).records.count == 2)
    }
}
