import Foundation
import IdentityKit
import IdentityOAuth
import IdentityOAuthProviders
import IdentityPresets
import Testing

/// What a configuration may say beside a preset, and what it may not.
@Suite struct PresetSettingsTests {
    private static func mistake(_ type: String, _ settings: [String: JSONValue]) throws -> ConfigurationError? {
        let needed = Presets.needed(by: try Presets.preset(type))
        return #expect(throws: ConfigurationError.self) {
            try Presets.chain(type, needed.merging(settings) { $1 })
        }
    }

    @Test("A setting of the configuration counts, and an object is merged member by member")
    func merged() throws {
        let needed = Presets.needed(by: try Presets.preset("github"))
        let whole = try Presets.registry.expanded(
            ProviderConfiguration(
                name: "code", type: "github",
                settings: .object(
                    needed.merging([
                        "domain": "github.example.com", "scopes": ["repo"], "tokenResponse": nil,
                        "endpoints": [
                            "token_endpoint": "https://proxy.example.com/token", "device_authorization_endpoint": nil,
                        ],
                        "account": ["email": nil],
                    ]) { $1 })))
        #expect(whole.type == "oauth2" && whole.name == "code")
        #expect(whole.settings["issuer"] == "https://github.example.com/login/oauth")
        #expect(whole.settings["domain"] == nil && whole.settings["tokenResponse"] == nil)
        #expect(whole.settings["scopes"] == ["repo"])
        #expect(
            whole.settings["endpoints"] == [
                "authorization_endpoint": "https://github.example.com/login/oauth/authorize",
                "token_endpoint": "https://proxy.example.com/token",
            ])
        #expect(whole.settings["account"]?["url"] == "https://github.example.com/api/v3/user")
        #expect(whole.settings["account"]?["identifier"] == "id" && whole.settings["account"]?["email"] == nil)
    }

    @Test(
        "A value that would change more than its place in an address is refused, with the key path and without the value",
        arguments: [
            ("github", "domain", "evil.example/@github.com"), ("github", "domain", "user@evil.example"),
            ("github", "domain", "evil.example?"), ("github", "domain", "evil.example#"), ("github", "domain", ""),
            ("github", "domain", ".."), ("github", "domain", "a b"), ("github", "domain", "evil.example:443"),
            ("github", "domain", "evil.example\\"), ("github", "domain", "evil.example%2F"),
            ("github", "domain", "{apiURL}"), ("github", "domain", "evil.example\n"),
            ("github", "domain", "gıthub.com"),
            ("github", "apiURL", "javascript:alert"), ("github", "apiURL", "api.github.com"),
            ("github", "apiURL", "https://user@evil.example"), ("github", "apiURL", "https://evil.example/?a=b"),
            ("github", "apiURL", "https://evil.example/"), ("github", "apiURL", "https://evil.example/a/../b"),
            ("github", "apiURL", "https://evil.example//b"), ("github", "apiURL", "https://"),
            ("okta", "authorizationServer", ".evil.example"), ("okta", "authorizationServer", "//evil.example"),
            ("okta", "authorizationServer", "@evil.example"), ("okta", "authorizationServer", ":443"),
            ("okta", "authorizationServer", "/oauth2/../x"), ("okta", "authorizationServer", "/oauth2/default/"),
            ("keycloak", "realm", "a/b"), ("keycloak", "realm", ".."), ("entra", "tenant", "{tenantid}"),
        ])
    func injection(type: String, parameter: String, value: String) throws {
        let error = try Self.mistake(type, [parameter: .string(value)])
        guard case .invalidValue(let keyPath, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(keyPath == "providers[0].settings.\(parameter)")
        #expect(value.count < 10 || !reason.contains(value))
    }

    @Test("A public client of Twitch signs in on another device, in Twitch's words")
    func twitchDevice() throws {
        let preset = try Presets.preset("twitch")
        let needed = Presets.needed(by: preset).filter { !["clientSecret", "redirectURI"].contains($0.key) }
        let device: [String: JSONValue] = ["signIn": "device", "clientAuthentication": nil]
        let chain = try Presets.chain("twitch", needed.merging(device) { $1 })
        let provider = try #require(chain.links.first?.provider as? OAuthSessionProvider)
        #expect(provider.server.client.requestFormat.deviceScopeName == "scopes")
        #expect(provider.server.tokenResponseFormat.names == ["error": "message"])
        #expect(preset.settings["endpoints"]?["device_authorization_endpoint"] == "https://id.twitch.tv/oauth2/device")
    }

    @Test("A sign-out sends no refresh token where the vendor's own way takes none", arguments: ["github", "twitch"])
    func noRevocation(type: String) throws {
        #expect(try Presets.preset(type).settings["endpoints"]?["revocation_endpoint"] == nil)
    }

    @Test(
        "Values of every form are taken",
        arguments: [
            ("github", "domain", "github.example.com"), ("github", "apiURL", "https://git.example.com:8443/api/v3"),
            ("okta", "authorizationServer", ""), ("okta", "authorizationServer", "/oauth2/aus1_a-B~"),
            ("keycloak", "server", "https://id.example.com/auth"), ("cognito", "userPoolID", "eu-west-2_ABCabc123"),
        ])
    func accepted(type: String, parameter: String, value: String) throws {
        let needed = Presets.needed(by: try Presets.preset(type))
        #expect(try !Presets.chain(type, needed.merging([parameter: .string(value)]) { $1 }).realms.isEmpty)
    }

    @Test("Mistakes are named with their key path")
    func mistakes() throws {
        let path = "providers[0].settings"
        #expect(
            try Self.mistake("keycloak", ["realm": 5])
                == .wrongType(keyPath: "\(path).realm", expected: "a string", found: "a number"))
        #expect(try Self.mistake("keycloak", ["realm": nil]) == .missingKey(keyPath: "\(path).realm"))
        guard case .unknownKey("\(path).clientId", let known)? = try Self.mistake("keycloak", ["clientId": "app"])
        else {
            Issue.record("an unknown key was taken")
            return
        }
        #expect(known.contains("realm") && known.contains("clientID"))
        let inner = try Self.mistake("github", ["account": ["identifer": "id"]])
        #expect(inner?.message.hasPrefix("\(path).account.identifer is not a known setting") == true)
        #expect(inner?.message.contains("apiURL") == false)
        #expect(
            throws: ConfigurationError.wrongType(keyPath: path, expected: "an object", found: "an array")
        ) {
            try Presets.registry.makeChain(
                for: IdentityConfiguration(
                    providers: [ProviderConfiguration(name: "vendor", type: "github", settings: [])]),
                environment: IdentityEnvironment(store: MemoryTokenStore()))
        }
    }

    @Test("A variable may hold a parameter, and its text is in no error")
    func variables() throws {
        let needed = Presets.needed(by: try Presets.preset("keycloak")).merging(["realm": "${REALM}"]) { $1 }
        func chain(_ realm: String) throws -> IdentityProviderChain {
            try Presets.chain(
                "keycloak", needed,
                in: IdentityEnvironment(store: MemoryTokenStore(), variables: ["REALM": realm]))
        }
        #expect(try !chain("example").realms.isEmpty)
        let error = #expect(throws: ConfigurationError.self) { try chain("planted/secret") }
        #expect(error?.message.contains("planted") == false)
    }

    @Test("A preset without its base type is no type, and the error names both")
    func withoutBase() throws {
        var registry = ProviderRegistry()
        registry.register(KnownProviders.presets)
        #expect(registry.types.isEmpty && registry.presets.isEmpty)
        #expect(
            throws: ConfigurationError.invalidValue(
                keyPath: "providers[0].type",
                reason: "\"github\" is a preset of the provider type \"oauth2\", which this program does not know. "
                    + "Whoever builds the program can register \"oauth2\" too.")
        ) {
            try Presets.chain("github", Presets.needed(by: Presets.preset("github")), registry: registry)
        }
    }

    /// A plug-in whose type has the name of a preset.
    private enum NamesakePlugin: ProviderPlugin {
        static let type = "github"

        static func makeProvider(
            settings: EnvironmentTokenPlugin.Settings, context: ProviderContext
        ) throws -> any IdentityProvider {
            try EnvironmentTokenPlugin.makeProvider(settings: settings, context: context)
        }
    }

    @Test("Questions about a type are answered for the preset or the plug-in that a configuration gets")
    func precedence() throws {
        func keys(_ registry: ProviderRegistry, _ type: String = "github") -> Set<String> {
            Set(registry.descriptions(of: type).map(\.key))
        }
        let needed = JSONValue.object(Presets.needed(by: try Presets.preset("github")))
        var registry = ProviderRegistry([OAuth2Plugin.self, NamesakePlugin.self])
        registry.register(KnownProviders.presets)
        #expect(try registry.read(needed, of: "github") is OAuth2Settings)
        #expect(keys(registry) == keys(registry, "oauth2") && registry.plugin(of: "github") == nil)

        registry.register(NamesakePlugin.self)
        #expect(try registry.read([:], of: "github") is EnvironmentTokenPlugin.Settings)
        #expect(keys(registry) == ["variable", "account"] && registry.preset(of: "github") == nil)

        var withoutBase = ProviderRegistry([NamesakePlugin.self])
        withoutBase.register(KnownProviders.presets)
        #expect(try withoutBase.read([:], of: "github") is EnvironmentTokenPlugin.Settings)
        #expect(keys(withoutBase) == ["variable", "account"] && withoutBase.plugin(of: "github") != nil)
        #expect(withoutBase.reference(of: "github")?.base == nil)
        let realms = try Presets.chain("github", [:], registry: withoutBase).realms
        #expect(realms == ["vendor"])
    }

    @Test("A preset with a placeholder that is no parameter is refused, and braces around other text are text")
    func placeholders() throws {
        func preset(_ text: String) throws -> ProviderPreset {
            let document: JSONValue = [
                "type": "own", "name": "Own", "base": "oauth2", "settings": ["issuer": .string(text)],
                "page": "https://id.example.com", "date": "2026-01", "untried": "Nothing.",
            ]
            return try JSONDecoder().decode(ProviderPreset.self, from: JSONEncoder().encode(document))
        }
        #expect(throws: DecodingError.self) { try preset("https://{host}") }
        #expect(try preset("{\"a\":{}}").settings["issuer"] == "{\"a\":{}}")
    }
}
