import Foundation
import IdentityKit
import IdentityOAuthProviders
import IdentityPresets
import InsForge
import TestSupport
import Testing
import ThunderID

/// What is wrong with a configuration is said with its place, its key and what is expected, as an app and the check read it.
@Suite struct WrongConfigurationTests {
    /// Settings of each type that can be used, as JSON texts.
    private static let usable: [String: [String: String]] = {
        let client = ["clientID": #""app""#, "redirectURI": #""http://127.0.0.1/callback""#]
        let issuer = ["issuer": #""https://id.example.com""#]
        return [
            "openid-connect": client.merging(issuer) { $1 },
            "oauth2": client.merging(issuer) { $1 }.merging(["account": #"{"identifier": "id"}"#]) { $1 },
            "protected-resource": client.merging(["resource": #""https://api.example.com""#]) { $1 },
            "github": client.merging(["clientSecret": #""secret""#]) { $1 },
            "google": client.merging(["clientSecret": #""secret""#]) { $1 },
            "keycloak": client.merging(["server": #""https://id.example.com""#, "realm": #""staff""#]) { $1 },
            "thunderid": client.merging(["baseURL": #""https://id.example.com""#]) { $1 },
            "insforge": ["baseURL": #""https://example.insforge.app""#],
            "workload": issuer.merging(["clientID": #""app""#, "clientSecret": #""secret""#]) { $1 },
        ]
    }()

    struct Row: Sendable, CustomTestStringConvertible {
        let type: String
        let key: String
        let value: String
        /// What follows the key in the key path.
        var element = ""
        let sentence: String
        var testDescription: String { "\(type) \(key) \(value)" }
    }

    private static let authorizationServers = [
        "openid-connect", "oauth2", "protected-resource", "github", "google", "keycloak",
    ]

    private static func table(
        _ types: [String], _ key: String, _ values: [(String, String)], element: String = ""
    ) -> [Row] {
        types.flatMap { type in
            values.map { Row(type: type, key: key, value: $0.0, element: element, sentence: $0.1) }
        }
    }

    static let rows: [Row] = {
        let redirects = [
            (#""http://app.example.com/cb""#, "plain http on another machine"),
            (#""javascript:alert(1)""#, "does not return to such an address"),
            (#""https://a.example/cb#x""#, "fragment"), (#""https://u@a.example/cb""#, "user name"),
            (#""callback""#, "absolute URL"), (#""https://a.example:99999/cb""#, "99999 is no port"),
        ]
        let addresses = [
            (#""https://id.example.com:99999""#, "99999 is no port"), (#""id.example.com""#, "absolute URL"),
            (#""http://id.example.com""#, "does not use https"),
            (#""https://u:p@id.example.com""#, "user name or a password"),
            (#""https://id.example.com?a=b""#, "query or a fragment"),
        ]
        let issuers =
            addresses + [
                (
                    #""https://id.example.com/.well-known/openid-configuration""#,
                    #"without "/.well-known/openid-configuration""#
                ),
                (
                    #""https://id.example.com/.well-known/oauth-authorization-server/a""#,
                    #"without "/.well-known/oauth-authorization-server"."#
                ),
                (#"" https://id.example.com ""#, "blank"),
            ]
        let names = [
            (#""""#, "It is empty."), (#"" app""#, "blank before or after"), ("7", "must be a string"),
        ]
        let scopes = [
            (#"["openid email"]"#, #""openid email" has a blank. Write two entries."#), (#"[""]"#, "It is empty."),
            (#"["a\\b"]"#, "character that no scope has"),
        ]
        var rows = Self.table(authorizationServers, "redirectURI", redirects)
        rows += Self.table(authorizationServers, "issuer", issuers)
        rows += Self.table(authorizationServers, "clientID", names)
        rows += Self.table(authorizationServers + ["thunderid", "workload"], "scopes", scopes, element: "[0]")
        rows += Self.table(authorizationServers, "scopes", [(#""openid""#, "must be an array")])
        rows += Self.table(
            authorizationServers, "prompt",
            [(#"["sometimes"]"#, "is no word for it"), (#"["logn"]"#, #"Did you mean "login"?"#)], element: "[0]")
        rows += Self.table(authorizationServers, "maxAge", [("-1", "Write 0 or more seconds.")])
        rows += Self.table(authorizationServers, "signIn", [(#""Browser""#, #"Did you mean "browser"?"#)])
        rows += Self.table(["thunderid", "insforge"], "baseURL", addresses)
        rows += Self.table(["thunderid"], "redirectURI", redirects)
        rows += Self.table(["thunderid"], "clientID", names)
        rows += Self.table(["thunderid"], "signIn", [(#""Native""#, #"Did you mean "native"?"#)])
        rows += Self.table(["insforge"], "anonKey", names)
        rows += Self.table(["insforge"], "signIn", [(#""Password""#, #"Did you mean "password"?"#)])
        rows += Self.table(["workload"], "issuer", issuers)
        return rows
    }()

    private static let registry: ProviderRegistry = {
        var registry = ProviderRegistry(
            [
                ThunderIDPlugin.self, InsForgePlugin.self, OpenIDConnectPlugin.self, OAuth2Plugin.self,
                ProtectedResourcePlugin.self, WorkloadPlugin.self,
            ] + ProviderRegistry.corePlugins)
        registry.register(KnownProviders.presets)
        return registry
    }()

    /// A document with a setting in each line.
    private static func document(_ type: String, _ settings: [String: String]) -> String {
        let lines = settings.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ",\n")
        return """
            {"store": {"type": "memory"}, "providers": [
            {"name": "work", "type": "\(type)", "settings": {
            \(lines)
            }}]}
            """
    }

    /// What a start with the document says; `nil` where it can be used.
    private static func refusal(
        of text: String, variables: [String: String] = [:]
    ) throws -> (message: String, file: String)? {
        let folder = try TemporaryFolder()
        let file = folder.file("identity.json")
        try Data(text.utf8).write(to: file)
        do {
            let configuration = try IdentityConfiguration(contentsOf: file, variables: variables)
            _ = try registry.makeChain(
                for: configuration,
                environment: IdentityEnvironment(
                    store: MemoryTokenStore(), webAuthenticator: nil, variables: variables))
            return nil
        } catch let error as any IdentityFailure {
            return (error.message, file.path)
        }
    }

    @Test("The table is long enough, and what is wrong there is right without the one value")
    func good() throws {
        #expect(Self.rows.count >= 150)
        for (type, settings) in Self.usable {
            #expect(try Self.refusal(of: Self.document(type, settings)) == nil, "\(type)")
        }
    }

    @Test("A value that cannot work is refused at its place", arguments: rows)
    func wrong(row: Row) throws {
        var settings = try #require(Self.usable[row.type])
        settings[row.key] = row.value
        let text = Self.document(row.type, settings)
        let lines = text.split(separator: "\n")
        let line = try #require(lines.firstIndex { $0.hasPrefix("\"\(row.key)\":") }) + 1
        let column = "\"\(row.key)\": ".count + (row.element.isEmpty ? 0 : 1) + 1
        let refusal = try #require(try Self.refusal(of: text))
        let start = "\(refusal.file):\(line):\(column): providers[0].settings.\(row.key)\(row.element) "
        #expect(refusal.message.hasPrefix(start), "\(refusal.message)")
        #expect(refusal.message.contains(row.sentence), "\(refusal.message)")
    }

    @Test(
        "A document that is none says what it is instead",
        arguments: [
            ("", "The file is empty."), (" \n", "The file is empty."), ("store: x\nproviders:\n", "YAML"),
            ("---\na: 1", "YAML"), ("# c\n{}", ##""#" starts a comment, which JSON has not"##),
            ("{\"a\": 1 // x\n}", #""//" starts a comment"#), ("{/* x */}", #""/*" starts a comment"#),
            ("{'a': 1}", "not between '"), (#"{"a": True}"#, "write true"), (#"{"a": None}"#, "write null"),
            ("{\"a\": 1\n \"b\": 2}", #"line 2, column 2: expected , or } before """#),
            (#"{"a" 1}"#, #"expected : before "1""#), (#"{"a": [1 2]}"#, #"expected , or ] before "2""#),
            (#"{"a": 1,}"#, "after a comma"), ("<plist/>", "property list"), ("{\u{201C}a\u{201D}: 1}", "straight"),
            (#"{"profiles": {}}"#, "Name at least one profile."),
            (#"{"store": {"type": "file"}, "providers": []}"#, #"such as "folder": "~/.local/state/example"."#),
            (#"{"a": 1, "a": 2}"#, "a stands twice"),
        ])
    func document(text: String, sentence: String) throws {
        let refusal = try #require(try Self.refusal(of: text))
        #expect(refusal.message.contains(sentence), "\(refusal.message)")
    }

    @Test("Bytes of another encoding are told by their place")
    func encoding() throws {
        for (bytes, sentence) in [
            ([UInt8](#"{"a": ""#.utf8) + [0xFF] + Array("\"}".utf8), "byte 8 is not UTF-8"),
            ([0xFF, 0xFE, 0x7B, 0x00], "UTF-16"), ([0x7B, 0x00, 0x7D, 0x00], "NUL"),
        ] {
            let error = #expect(throws: ConfigurationError.self) {
                try IdentityConfiguration(parsing: Data(bytes), variables: [:])
            }
            #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
        }
    }

    @Test(
        "A variable is named where it brought what is wrong",
        arguments: [
            (
                ["SWIFT_IDENTITY__work__isuer": "x"],
                #"SWIFT_IDENTITY__work__isuer is not a known setting. Did you mean "issuer"?"#
            ),
            (["SWIFT_IDENTITY__work__clientID": ""], "SWIFT_IDENTITY__work__clientID is set and empty."),
            (
                ["SWIFT_IDENTITY__work__maxAge": "soon"],
                "SWIFT_IDENTITY__work__maxAge is a string, but must be a whole number"
            ),
            (["SWIFT_IDENTITY__work__scopes": "openid email"], "SWIFT_IDENTITY__work__scopes[0] is not acceptable."),
            (["SWIFT_IDENTITY_PROFILE": "x"], #"SWIFT_IDENTITY_PROFILE: There is no profile "x"."#),
            (["SWIFT_IDENTITY_PROVIDER": "x"], #"SWIFT_IDENTITY_PROVIDER=x: There is no provider named "x"."#),
        ])
    func variable(variables: [String: String], start: String) throws {
        let text = Self.document("openid-connect", try #require(Self.usable["openid-connect"]))
        let refusal = try #require(try Self.refusal(of: text, variables: variables))
        #expect(refusal.message.hasPrefix(start), "\(refusal.message)")
    }

    @Test("A variable can be a list, in JSON or with commas", arguments: [#"["openid", "email"]"#, "openid, email"])
    func list(text: String) throws {
        let document = Self.document("openid-connect", try #require(Self.usable["openid-connect"]))
        #expect(try Self.refusal(of: document, variables: ["SWIFT_IDENTITY__work__scopes": text]) == nil)
    }

    @Test(
        "A reference that is none is told, and so is an empty variable",
        arguments: [
            ("${X:-y}", "defaults are not supported"), ("${}", "is no variable"), ("${X}", "which is empty"),
        ])
    func reference(text: String, sentence: String) throws {
        var settings = try #require(Self.usable["openid-connect"])
        settings["clientID"] = "\"\(text)\""
        let refusal = try #require(
            try Self.refusal(of: Self.document("openid-connect", settings), variables: ["X": ""]))
        #expect(refusal.message.contains(sentence), "\(refusal.message)")
    }

    @Test(
        "Other names of types get a suggestion",
        arguments: [
            ("oidc", "openid-connect"), ("google.com", "google"), ("microsoft", "entra"), ("azure", "entra"),
            ("aad", "entra"), ("env", "environment-token"), ("GitHub", "github"),
        ])
    func otherNames(type: String, meant: String) throws {
        let refusal = try #require(try Self.refusal(of: Self.document(type, [:])))
        #expect(refusal.message.contains("Did you mean \"\(meant)\"?"), "\(refusal.message)")
    }

    @Test("Without a default the profiles are named")
    func profiles() throws {
        let one = Self.document("anonymous", [:])
        let refusal = try #require(try Self.refusal(of: "{\"profiles\": {\"a\": \(one), \"b\": \(one)}}"))
        #expect(refusal.message.hasPrefix("Which profile? There are: a, b."), "\(refusal.message)")
    }

    @Test("No message shows a control character", arguments: usable.keys.sorted())
    func control(type: String) throws {
        let settings = try #require(Self.usable[type])
        for key in settings.keys {
            var changed = settings
            changed[key] = #""\u001b[31m""#
            if let refusal = try Self.refusal(of: Self.document(type, changed)) {
                #expect(!refusal.message.unicodeScalars.contains("\u{1B}"), "\(key)")
            }
            var renamed = settings
            renamed["\(key)\\u001b[31m"] = settings[key]
            let refusal = try #require(try Self.refusal(of: Self.document(type, renamed)))
            #expect(!refusal.message.unicodeScalars.contains("\u{1B}"), "\(key)")
        }
        let refusal = try #require(try Self.refusal(of: Self.document(type + #"\u001b[31m"#, settings)))
        #expect(!refusal.message.unicodeScalars.contains("\u{1B}"))
    }
}
