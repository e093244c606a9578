import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// `identity token --format kubectl`.
@Suite(.endsInTime) struct KubectlTests {
    static let server = "http://127.0.0.1:6443"

    /// A document as kubectl writes it into its variable.
    static func info(
        _ server: String = server, version: String = "v1", _ more: [String: JSONValue] = [:]
    ) throws -> String {
        let cluster: [String: JSONValue] = ["server": .string(server), "certificate-authority-data": "AAAA"]
        let document: JSONValue = [
            "apiVersion": .string("client.authentication.k8s.io/\(version)"), "kind": "ExecCredential",
            "spec": ["interactive": false, "cluster": .object(cluster.merging(more) { $1 })],
        ]
        return String(decoding: try JSONEncoder().encode(document), as: UTF8.self)
    }

    private func ask(_ info: String?, _ options: String..., fixture: ToolFixture) async throws -> ToolProcess.Result {
        let variables = info.map { ["KUBERNETES_EXEC_INFO": $0] } ?? [:]
        return try await Tool.run(
            ["token", "--format", "kubectl"] + options, environment: fixture.environment.merging(variables) { $1 })
    }

    private func withCluster(
        _ change: (inout Credential) -> Void = { _ in }, _ test: (ToolFixture) async throws -> Void
    ) async throws {
        try await withTool { fixture in
            try await fixture.nameWithSession(try #require(URL(string: Self.server)), change)
            try await test(fixture)
        }
    }

    @Test(
        "A cluster that the configuration names gets the token in the version that kubectl speaks",
        arguments: ["v1", "v1beta1"])
    func named(version: String) async throws {
        try await withCluster { fixture in
            let result = try await ask(try Self.info(version: version), fixture: fixture)
            let answer = try JSONValue(parsing: Data(result.output.utf8))
            #expect(answer["apiVersion"]?.stringValue == "client.authentication.k8s.io/\(version)")
            #expect(answer["kind"] == "ExecCredential" && answer["status"]?["token"] == "token-of-ada")
            let end = answer["status"]?["expirationTimestamp"]?.stringValue ?? ""
            #expect(end.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil, "\(end)")
        }
    }

    @Test(
        "No other cluster gets one",
        arguments: [
            "http://127.0.0.1:6444", "https://127.0.0.1:6443", "http://127.0.0.1:6443.evil.example",
            "http://127.0.0.1:6443@evil.example", "http://name:secret@127.0.0.1:6443", "", "\u{1B}[2J", "evil.example",
        ])
    func other(server: String) async throws {
        try await withCluster { fixture in
            let result = try await ask(try Self.info(server), fixture: fixture)
            #expect(result.status != 0 && result.output.isEmpty && !result.errors.isEmpty, "\(result)")
            for secret in ["token-of-ada", "secret", "\u{1B}"] { #expect(!result.errors.contains(secret), "\(result)") }
        }
    }

    @Test("A hostile kubeconfig cannot lead the token elsewhere, and what kubectl does not say is no answer")
    func hostile() async throws {
        try await withCluster { fixture in
            for detour: [String: JSONValue] in [
                ["insecure-skip-tls-verify": true], ["proxy-url": "http://evil.example"],
                ["tls-server-name": "evil.example"],
            ] {
                let result = try await ask(try Self.info(Self.server, detour), fixture: fixture)
                #expect(
                    result.status == 1 && result.output.isEmpty && result.errors.contains("kubeconfig"), "\(result)")
            }
            let off = try Self.info(Self.server, ["insecure-skip-tls-verify": false, "proxy-url": ""])
            #expect(try await ask(off, fixture: fixture).status == 0)
            let silent =
                #"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"interactive":false}}"#
            let untold = try await ask(silent, fixture: fixture)
            #expect(untold.status == 1 && untold.errors.contains("provideClusterInfo"), "\(untold)")
            for info in [nil, "", "nonsense", "{}", "[]", try Self.info(version: "v2")] {
                expectOneLine(try await ask(info, fixture: fixture), status: 1, of: info ?? "no variable")
            }
        }
    }

    /// An ID token without a signature that anybody checks.
    static func idToken(for audience: String, until end: Date) -> Secret {
        func part(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
                .replacing("/", with: "_")
        }
        let claims = #"{"aud":"\#(audience)","exp":\#(Int(end.timeIntervalSince1970))}"#
        return Secret(part(#"{"alg":"RS256"}"#) + "." + part(claims) + ".AAAA")
    }

    @Test("The ID token is given for the audience that is named, and for no other")
    func idToken() async throws {
        let token = Self.idToken(for: "cluster", until: Date() + 600)
        try await withCluster({ $0.idToken = token }) { fixture in
            let info = try Self.info()
            let right = try await ask(info, "--id-token", "cluster", fixture: fixture)
            let status = try JSONValue(parsing: Data(right.output.utf8))["status"]
            #expect(status?["token"]?.stringValue == token.reveal(), "\(right.errors)")
            let wrong = try await ask(info, "--id-token", "other", fixture: fixture)
            expectOneLine(wrong, status: 1, of: "--id-token other")
            #expect(!wrong.errors.contains(token.reveal()))
            #expect(try await fixture.run("token", "--id-token", "cluster").status == 64)
        }
    }

    @Test("The server is not said to issue no new ID token where its keys cannot be read")
    func keysOutOfReach() async throws {
        try await withTool { fixture in
            var configuration = fixture.configuration
            let place = try #require(configuration.providers.firstIndex { $0.name == "any" })
            configuration.providers[place].sendsTo = [try #require(URL(string: Self.server))]
            try JSONEncoder().encode(configuration).write(to: fixture.configurationFile)
            #expect(try await fixture.signInOnDevice(allows: true).status == 0)
            let (server, token) = (fixture.openIDConnect, Self.idToken(for: "cluster", until: Date() - 60))
            let account = AccountID(account: server.user.id, realm: "any")
            try await fixture.changeSession(of: account, at: try #require(URL(string: server.issuer))) {
                $0.idToken = token
            }
            server.http.fail(.answer(.text("busy", status: 503)), pathPrefix: "/jwks", times: 20)
            let result = try await ask(try Self.info(), "--id-token", "cluster", fixture: fixture)
            #expect(result.status == 1 && server.counters.refreshes == 1, "\(result)")
            #expect(result.errors.contains("the refresh brought none that is verified"), "\(result)")
        }
    }
}
