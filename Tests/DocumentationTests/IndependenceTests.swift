import Foundation
import Testing

/// A test depends on nothing but itself. What would tie one to the machine is not written in it, except where a reason is
/// given here.
@Suite struct IndependenceTests {
    /// Something that no test says.
    struct Rule: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What it looks like in a line of Swift.
        let pattern: String
        /// The files that may say it, with the reason.
        let reasons: [String: String]

        init(_ description: String, _ pattern: String, except reasons: [String: String]) {
            (testDescription, self.pattern, self.reasons) = (description, pattern, reasons)
        }
    }

    static let rules = [
        Rule(
            "No test listens at a port that it names, or connects to it",
            #"\bport: [1-9]|[-_ ][pP]ort( =|=|:)? ?[1-9]|\bport=[1-9]"#,
            except: [
                "DocumentationTests/Messages/ProvokedMessage+Programs.swift": "in a message, and nobody listens",
                "IdentityLocalServersTests/Dashboard/DashboardTests.swift": "compared with a text",
                "IdentityOAuthProvidersTests/OAuth2/OAuth2ForeignServerTests.swift": "in an address that nobody opens",
                "IdentityOAuthProvidersTests/OpenIDConnect/ForeignBindingTests.swift":
                    "in an address that nobody opens",
                "IdentityOAuthProvidersTests/OpenIDConnect/RedirectPortTests.swift": "in an address that nobody opens",
                "IdentityOAuthProvidersTests/OpenIDConnect/RegistrationTests.swift": "in an address that nobody opens",
                "IdentityToolTests/Commands/DevelopmentScenarios.swift":
                    "commands as they are printed, in a network of their own",
                "StoreProcessTests/Fleet/FleetNetworkTests.swift": "at the address of a network of the test's own",
                "TestSupport/PostgresServer.swift": "the name of a socket in the server's own folder",
            ]),
        Rule(
            "No test names a path outside its own folder",
            #""/(tmp|var|home|root|etc|opt|nonexistent|nowhere)["/]"#,
            except: [
                "DocumentationTests/Snippets/ChoosingAStore.swift": "compiled, and not run",
                "Fuzz/Targets/Configurations.swift": "the value of a variable",
                "IdentityKitTests/Configuration/IdentityConfigurationTests.swift": "a value that nobody opens",
                "IdentityKitTests/Store/NetworkFileSystemTests.swift": "searched in a table of the test's own",
                "IdentityLocalServersTests/Servers/InsForge/InsForgeControlTests.swift": "a path of a server",
                "IdentityLocalServersTests/Servers/OpenIDConnect/OpenIDTokenEndpointTests.swift": "a path of a server",
                "IdentityLocalServersTests/Servers/ThunderID/ThunderIDProofTests.swift": "a path of a server",
                "IdentityLocalServersTests/Servers/ThunderID/ThunderIDServiceTests.swift": "a path of a server",
                "IdentityLocalServersTests/Dashboard/DashboardTabTests.swift": "a path of a server",
                "IdentityLocalServersTests/Dashboard/DashboardTests.swift": "a path of a server",
                "IdentityLocalServersTests/Pages/PageRulesTests.swift": "a path of a server",
                "IdentityLocalServersTests/Pages/RedirectHeaderTests.swift": "a path of a server",
                "IdentityOAuthProvidersTests/Workload/WorkloadSettingsTests.swift": "a value that nobody opens",
                "IdentityToolTests/Config/ConfigTests.swift": "a value that nobody opens",
                "IdentityToolTests/Commands/StandInHosts.swift":
                    "covered by another file, in a mount namespace of its own",
                "SecrecyTests/Specimens.swift": "printed, and not used",
                "TestSupport/PostgresServer.swift": "a random name; the path of a socket has at most 107 bytes",
            ]),
        Rule(
            "No test sleeps",
            #"Task\.sleep|Thread\.sleep|\busleep\(|\bnanosleep\(|[^.\w]sleep\("#,
            except: [
                "IdentityKitTests/Support/ScriptedProvider.swift": "until it is cancelled",
                "IdentityLocalServersTests/Servers/OpenIDConnect/ForeignServerTests.swift":
                    "a foreign server measures the pause",
                "IdentityOAuthProvidersTests/OAuth2/OAuth2ForeignServerTests.swift":
                    "between two questions to a foreign server",
                "InsForgeTests/Defects/BrowserDefectTests.swift": "until it is cancelled",
                "StoreProbe/Probe.swift": "the pauses of the library, shortened",
                "StoreProcessTests/ExactlyOnceTests.swift": "the pauses of the library",
                "StoreProcessTests/ResourceProcessTests.swift": "the pauses of the library",
                "StoreProcessTests/ProcessFixture.swift": "until a random moment, which decides nothing",
                "IdentityToolTests/Agents/MCP/MCPTests.swift": "the pauses of the library",
                "IdentityToolTests/Agents/TokenFileTests.swift": "until it is cancelled",
                "ThunderIDTests/ProfileTests.swift": "until it is cancelled",
            ]),
        Rule(
            "There is one limit for tests that hang",
            #"\.timeLimit\("#,
            except: ["TestSupport/EndsInTime.swift": "the limit"]),
        Rule(
            "No test measures time",
            #"ContinuousClock|SuspendingClock|DispatchTime|systemUptime"#,
            except: [
                "Fuzz/OneInput.swift": "inputs that take long are tried less often",
                "IdentityPostgresTests/PostgresHostsTests.swift": "deadlines that are computed, of which one passes",
                "IdentityKitTests/PrivacyManifestTests.swift": "names that sources must not have",
                "StoreProcessTests/Fleet/FleetNetworkTests.swift": "for how long a test goes on at least",
                "StoreProcessTests/ProcessFixture.swift": "the range of a random moment, which decides nothing",
            ]),
        Rule(
            "No test yields a number of times to prove that something does not happen",
            #"for .* in .*yield\(\)"#,
            except: ["TransportChecks/TransportCheck+Ends.swift": "requests are cancelled at different moments"]),
    ]

    private static let files = Documents.paths(in: "Tests") { file in
        file.hasSuffix(".swift") && !file.hasSuffix("IndependenceTests.swift") && !file.hasPrefix("Tests/AppleS")
            && !file.contains("/Example/")
    }

    @Test("What ties a test to the machine is in none, or has a reason", arguments: rules)
    func independent(rule: Rule) throws {
        let pattern = try Regex(rule.pattern)
        var needed: Set<String> = []
        for file in Self.files {
            let name = String(file.dropFirst("Tests/".count))
            let text = try Documents.text(of: file)
            guard text.range(of: rule.pattern, options: .regularExpression) != nil else { continue }
            for line in text.split(separator: "\n") {
                let code = line.drop { $0 == " " }
                guard !code.hasPrefix("//"), code.firstMatch(of: pattern) != nil else { continue }
                needed.insert(name)
                #expect(rule.reasons[name] != nil, "\(rule.testDescription). \(file) says:\n\(code)")
            }
        }
        #expect(Set(rule.reasons.keys) == needed, "A reason is not needed any more")
        #expect(Self.files.count > 300)
    }

    @Test("No loop over several lines yields a number of times either")
    func countedYields() throws {
        let loop = /\bfor [^\n{}]* in [^{}]*\{[^{}]*\byield\(\)/
        for file in Self.files where !file.hasSuffix("/TransportCheck+Ends.swift") {
            let text = try Documents.text(of: file)
            guard text.contains("yield()") else { continue }
            let found = text.firstMatch(of: loop).map { String($0.output) }
            #expect(found == nil, "\(file)")
        }
    }
}
