import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The scenarios of the Model Context Protocol's conformance suite by which it judges how a client gets authorized.
@Suite(
    "The client scenarios of MCP's conformance suite", .serialized, .endsInTime,
    .enabled(if: ScenarioServer.isRunning, "Run it by .ci/foreign-servers/run, which starts the server."))
struct ScenarioForeignServerTests {
    @Test("All that concern authorization are played")
    func complete() async throws {
        let played = try await ScenarioServer.read().scenarios().map(\.name)
        #expect(Set(played) == Set(Self.names))
        #expect(played.count == 33)
    }

    @Test("Every check is passed, by one process and by another one for every call", arguments: names, [false, true])
    func played(name: String, isRestarted: Bool) async throws {
        let server = try ScenarioServer.read()
        let scenario = try #require(try await server.scenarios().first { $0.name == name })
        for version in scenario.versions {
            let playing = try await server.play(name, version: version)
            let program = try ScenarioProgram(name, version, playing, isRestarted: isRestarted)
            do {
                try await program.run()
            } catch {
                #expect(scenario.mayFail, "\(version): \(error)")
            }
            let checks = try await server.checks(endOf: playing)
            #expect(checks.contains { $0.status == "SUCCESS" })
            for check in checks where check.status != "SUCCESS" {
                Issue.record("\(version): \(check.id) \(check.status). \(check.description)")
            }
        }
    }

    private static let names = [
        // Required.
        "auth/metadata-default", "auth/metadata-var1", "auth/metadata-var2", "auth/metadata-var3", "auth/basic-cimd",
        "auth/scope-from-www-authenticate", "auth/scope-from-scopes-supported", "auth/scope-omitted-when-undefined",
        "auth/scope-step-up", "auth/scope-retry-limit", "auth/token-endpoint-auth-basic",
        "auth/token-endpoint-auth-post", "auth/token-endpoint-auth-none", "auth/pre-registration",
        // Back-compatible.
        "auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback",
        // Draft.
        "auth/resource-mismatch", "auth/offline-access-scope", "auth/offline-access-not-supported",
        "auth/authorization-server-migration", "auth/iss-supported", "auth/iss-not-advertised",
        "auth/iss-supported-missing", "auth/iss-wrong-issuer", "auth/iss-unexpected", "auth/iss-normalized",
        "auth/metadata-issuer-mismatch",
        // Extensions.
        "auth/client-credentials-jwt", "auth/client-credentials-basic", "auth/enterprise-managed-authorization",
        "auth/dpop", "auth/dpop-nonce", "auth/wif-jwt-bearer",
    ]
}

/// A program that calls an MCP server, with a configuration as its user writes it.
private struct ScenarioProgram {
    private struct Refused: Error {
        let method: String
        let status: Int
    }

    private let name: String
    private let version: String
    private let playing: ScenarioServer.Playing
    private let isRestarted: Bool
    private let folder: TemporaryFolder

    private var isStateless: Bool { version >= "2026-07-28" }
    private var configuration: URL { folder.file("identity.json") }

    init(_ name: String, _ version: String, _ playing: ScenarioServer.Playing, isRestarted: Bool) throws {
        (self.name, self.version, self.playing, self.isRestarted) = (name, version, playing, isRestarted)
        folder = try TemporaryFolder()
        for (file, member) in [("client.pem", "private_key_pem"), ("workload.jwt", "valid_jwt")] {
            try playing.context[member].map { try Data($0.utf8).write(to: folder.file(file)) }
        }
        let document: JSONValue = ["providers": .array(providers)]
        try JSONEncoder().encode(document).write(to: configuration)
    }

    /// The server's address, and what the scenario tells its client.
    private var providers: [JSONValue] {
        func known(_ member: String) -> JSONValue { .string(playing.context[member] ?? "") }
        func provider(_ type: String, name: String = "notes", _ settings: [String: JSONValue] = [:]) -> JSONValue {
            var settings = settings.merging(["allowsLoopbackHTTP": true]) { $1 }
            if name == "notes" { settings["resource"] = .string(playing.address.absoluteString) }
            return ["name": .string(name), "type": .string(type), "settings": .object(settings)]
        }
        let client = ["clientID": known("client_id"), "clientSecret": known("client_secret")]
        switch name {
        case "auth/basic-cimd":
            return [provider("protected-resource", ["registration": ["metadataDocument": known("metadata_document")]])]
        case "auth/pre-registration":
            return [provider("protected-resource", client.merging(["issuer": known("issuer")]) { $1 })]
        case "auth/client-credentials-basic": return [provider("workload", client)]
        case "auth/client-credentials-jwt":
            return [provider("workload", ["clientID": known("client_id"), "clientKeyFile": "client.pem"])]
        case "auth/wif-jwt-bearer":
            return [
                provider(
                    "workload",
                    ["clientID": known("client_id"), "grant": "jwt-bearer", "token": ["file": "workload.jwt"]])
            ]
        case "auth/enterprise-managed-authorization":
            let company: [String: JSONValue] = [
                "issuer": known("idp_issuer"), "clientID": known("idp_client_id"), "scopes": ["openid"],
                "redirectURI": "http://127.0.0.1/callback",
            ]
            return [
                provider("workload", client.merging(["grant": "identity-assertion", "identity": "company"]) { $1 }),
                provider("openid-connect", name: "company", company),
            ]
        default: return [provider("protected-resource")]
        }
    }

    private func start() throws -> IdentityClient {
        let person = ScriptedLogin(answers: [:])
        let environment = IdentityEnvironment(
            store: try FileTokenStore(folder: folder.file("sessions"), protection: .allowUnencryptedStorage),
            // Asked where a resource names another server than before.
            prompter: ScriptedPrompter([PromptAnswer(values: [:], action: "continue")]),
            webAuthenticator: ScriptedBrowser { try await person.signIn(at: $0) })
        return try IdentityClient(
            configuration: IdentityConfiguration(contentsOf: configuration, variables: [:]),
            registry: ProviderRegistry([ProtectedResourcePlugin.self, WorkloadPlugin.self, OpenIDConnectPlugin.self]),
            environment: environment)
    }

    /// Connects, and uses the server's tool.
    /// - Throws: what a call throws that is not answered.
    func run() async throws {
        var client = try start()
        if let identity = playing.context["idp_client_id"], !identity.isEmpty {
            try await client.signIn(with: "company")
            try await client.select(AccountID(account: playing.context["client_id"] ?? "", realm: "notes"))
        }
        let opening: [(String, [String: JSONValue]?)] =
            isStateless
            ? [("server/discover", [:])]
            : [
                (
                    "initialize",
                    [
                        "protocolVersion": .string(version), "capabilities": [:],
                        "clientInfo": ["name": "Swift example", "version": "1"],
                    ]
                ), ("notifications/initialized", nil),
            ]
        for (method, parameters) in opening + [
            ("tools/list", [:]), ("tools/call", ["name": "test-tool", "arguments": [:]]),
        ] {
            if isRestarted { client = try start() }
            try await call(method, parameters, by: client)
        }
    }

    /// Calls a method, or sends a notification, over the protocol's HTTP transport.
    private func call(_ method: String, _ parameters: [String: JSONValue]?, by client: IdentityClient) async throws {
        var message: [String: JSONValue] = ["jsonrpc": "2.0", "method": .string(method)]
        var request = URLRequest(url: playing.address)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json, text/event-stream", forHTTPHeaderField: "Accept")
        if var parameters {
            if isStateless {
                request.setValue(version, forHTTPHeaderField: "MCP-Protocol-Version")
                parameters["_meta"] = [
                    "io.modelcontextprotocol/protocolVersion": .string(version),
                    "io.modelcontextprotocol/clientCapabilities": [:],
                ]
            }
            message["params"] = .object(parameters)
            message["id"] = 1
        }
        request.httpBody = try JSONEncoder().encode(message)
        let (data, head) = try await client.data(for: request, mayShowSignIn: true)
        guard [200, 202].contains(head.statusCode) else { throw Refused(method: method, status: head.statusCode) }
        #expect(parameters == nil || String(decoding: data, as: UTF8.self).contains(#""result""#), "\(method)")
    }
}
