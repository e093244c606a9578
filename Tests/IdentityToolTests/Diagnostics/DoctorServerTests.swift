import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// The doctor asks a server by the code of a sign-in: it is content where that gets to the page, and otherwise has its words.
@Suite(.endsInTime) struct DoctorServerTests {
    /// How a server describes itself, and what of it is wrong.
    enum Server: String, CaseIterable, CustomTestStringConvertible {
        case right, otherIssuer, noAuthorizationEndpoint, plainHTTP, noCodeChallenge, page, notFound, unavailable

        var testDescription: String { rawValue }

        /// Responds at the one place of RFC 8414, as a server of OAuth 2.0 alone does.
        func response(to path: String, at issuer: String) -> LocalResponse {
            switch self {
            case .unavailable: return LocalResponse(status: 503)
            case .notFound: return LocalResponse(status: 404)
            case .page: return .html("Welcome")
            default: break
            }
            guard path == "/.well-known/oauth-authorization-server" else { return LocalResponse(status: 404) }
            var members: [String: JSONValue] = [
                "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
                "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
                "device_authorization_endpoint": .string(issuer + "/device"),
                "code_challenge_methods_supported": ["S256"],
            ]
            switch self {
            case .otherIssuer: members["issuer"] = "https://id.example.com"
            case .noAuthorizationEndpoint: members["authorization_endpoint"] = nil
            case .plainHTTP: members["authorization_endpoint"] = "http://id.example.com/authorize"
            case .noCodeChallenge: members["code_challenge_methods_supported"] = ["plain"]
            default: break
            }
            return .json(.object(members))
        }
    }

    private static func settings(of type: String, at server: URL) -> JSONValue {
        let (address, isLocal): (JSONValue, JSONValue) = (.string(server.absoluteString), true)
        return switch type {
        case "oauth2":
            [
                "issuer": address, "allowsLoopbackHTTP": isLocal, "clientID": "app",
                "redirectURI": "http://127.0.0.1/callback", "account": ["identifier": "user.id"],
            ]
        case "workload":
            ["issuer": address, "allowsLoopbackHTTP": isLocal, "clientID": "app", "clientSecret": "a-secret"]
        case "thunderid":
            [
                "baseURL": address, "allowsLoopbackHTTP": isLocal, "clientID": "app",
                "redirectURI": "http://127.0.0.1/callback",
            ]
        case "insforge": ["baseURL": address, "allowsLoopbackHTTP": isLocal]
        default:
            [
                "issuer": address, "allowsLoopbackHTTP": isLocal, "clientID": "app",
                "redirectURI": "http://127.0.0.1/callback",
            ]
        }
    }

    /// The doctor's finding about the one provider, whose server is `server`.
    private func examine(
        _ type: String, _ server: Server,
        _ check: (_ finding: JSONValue, _ status: Int32, ToolFixture) async throws -> Void
    ) async throws {
        let address = Locked("")
        let running = try await LocalHTTPServer.start { request in
            server.response(to: request.path, at: address.withLock { $0 })
        }
        address.withLock { $0 = running.url.absoluteString }
        try await withTool { fixture in
            try fixture.configure(
                ProviderConfiguration(name: "other", type: type, settings: Self.settings(of: type, at: running.url)))
            let doctor = try await fixture.run("doctor", "--json")
            let findings = try JSONValue(parsing: Data(doctor.output.utf8)).arrayValue ?? []
            let finding = try #require(findings.first { $0["subject"] == "other backend" }, "\(doctor)")
            try await check(finding, doctor.status, fixture)
        }
        await running.stop()
    }

    @Test("A server of OAuth 2.0 that has no metadata of OpenID Connect is right", arguments: ["oauth2", "workload"])
    func right(type: String) async throws {
        try await examine(type, .right) { finding, status, _ in
            #expect(finding["verdict"] == "ok" && status == 0, "\(finding)")
        }
    }

    @Test(
        "Where a sign-in refuses the server, the doctor says the same",
        arguments: ["oauth2", "openid-connect"], Server.allCases.filter { $0 != .right })
    func wrong(type: String, server: Server) async throws {
        try await examine(type, server) { finding, status, fixture in
            #expect(finding["verdict"] == "bad" && status == 1, "\(finding)")
            let login = try await fixture.run("login", "--provider", "other", "--no-browser")
            let detail = try #require(finding["detail"]?.stringValue)
            #expect(login.status != 0 && login.errors.contains(detail), "\(login.errors) \(finding)")
        }
    }

    @Test("A response that a cache has kept for twenty minutes tells the clock of now", arguments: ["1200", "none"])
    func cached(age: String) async throws {
        let address = Locked("")
        let running = try await LocalHTTPServer.start { request in
            let response = Server.right.response(to: request.path, at: address.withLock { $0 })
                .with(header: "Date", HTTPDateText.format(Date() - 1200))
            return age == "none" ? response : response.with(header: "Age", age)
        }
        address.withLock { $0 = running.url.absoluteString }
        try await withTool { fixture in
            try fixture.configure(
                ProviderConfiguration(
                    name: "other", type: "oauth2", settings: Self.settings(of: "oauth2", at: running.url)))
            let doctor = try await fixture.run("doctor", "--json")
            let findings = try JSONValue(parsing: Data(doctor.output.utf8)).arrayValue ?? []
            let clock = try #require(findings.first { $0["subject"] == "other clock" }, "\(doctor)")
            #expect(clock["verdict"]?.stringValue == (age == "none" ? "warning" : "ok"), "\(clock)")
        }
        await running.stop()
    }

    @Test("Where the server is a backend of another kind, the doctor names the kind")
    func otherKind() async throws {
        try await withTool { fixture in
            let settings = Self.settings(of: "openid-connect", at: fixture.insForge.url)
            try fixture.configure(ProviderConfiguration(name: "other", type: "openid-connect", settings: settings))
            let doctor = try await fixture.run("doctor", "--json")
            let findings = try JSONValue(parsing: Data(doctor.output.utf8)).arrayValue ?? []
            let finding = try #require(findings.first { $0["subject"] == "other backend" }, "\(doctor)")
            #expect(finding["detail"]?.stringValue?.contains("/.well-known/openid-configuration (404)") == true)
            #expect(finding["fix"]?.stringValue?.hasPrefix("The server looks like insforge. ") == true, "\(finding)")
        }
    }

    @Test(
        "The words of the other types are those of their sign-in", arguments: ["thunderid", "insforge", "workload"],
        [Server.notFound, .unavailable])
    func otherTypes(type: String, server: Server) async throws {
        try await examine(type, server) { finding, _, fixture in
            #expect(finding["verdict"] == "bad", "\(finding)")
            let login =
                type == "workload"
                ? try await fixture.run("token")
                : try await fixture.run("login", "--username", "a@example.org", "--password-stdin", input: "secret\n")
            let detail = try #require(finding["detail"]?.stringValue)
            #expect(login.status != 0 && login.errors.contains(detail), "\(login.errors) \(finding)")
        }
    }

    @Test("A sign-in on another device asks for other endpoints")
    func device() async throws {
        try await examine("openid-connect", .noAuthorizationEndpoint) { _, _, fixture in
            var configuration = try IdentityConfiguration(contentsOf: fixture.configurationFile)
            configuration.providers[0].settings["signIn"] = "device"
            try JSONEncoder().encode(configuration).write(to: fixture.configurationFile)
            let doctor = try await fixture.run("doctor")
            #expect(doctor.status == 0 && !doctor.output.contains("✘"), "\(doctor)")
        }
    }

    @Test("Endpoints in the settings are asked for nothing")
    func endpoints() async throws {
        try await withTool { fixture in
            try fixture.configure(
                ProviderConfiguration(
                    name: "other", type: "oauth2",
                    settings: [
                        "issuer": "https://id.example.com", "clientID": "app",
                        "redirectURI": "http://127.0.0.1/callback", "account": ["identifier": "user.id"],
                        "endpoints": [
                            "authorization_endpoint": "https://id.example.com/authorize",
                            "token_endpoint": "https://id.example.com/token",
                        ],
                    ]))
            let doctor = try await fixture.run("doctor")
            #expect(doctor.status == 0 && doctor.output.contains("asks for nothing first"), "\(doctor)")
        }
    }

    @Test("A protected resource and the server that it names are asked")
    func resource() async throws {
        try await withTool { fixture in
            let resource = try await LocalHTTPServer.start { _ in LocalResponse(status: 404) }
            try fixture.configure(
                ProviderConfiguration(
                    name: "other", type: "protected-resource",
                    settings: [
                        "resource": .string(resource.url.absoluteString + "/mcp"), "allowsLoopbackHTTP": true,
                        "redirectURI": "http://127.0.0.1/callback",
                    ]))
            let doctor = try await fixture.run("doctor", "--json")
            let findings = try JSONValue(parsing: Data(doctor.output.utf8)).arrayValue ?? []
            let finding = try #require(findings.first { $0["subject"] == "other backend" }, "\(doctor)")
            let login = try await fixture.run("login", "--no-browser")
            let detail = try #require(finding["detail"]?.stringValue)
            #expect(finding["verdict"] == "bad" && login.errors.contains(detail), "\(login.errors) \(finding)")
            await resource.stop()
        }
    }

    @Test("When a server is away for a while, the command that the doctor names finds it again")
    func unavailable() async throws {
        try await withTool { fixture in
            try fixture.configure(fixture.insForgeProvider(named: "home"))
            fixture.insForge.http.fail(.answer(LocalResponse(status: 503)))
            let ill = try await fixture.run("doctor")
            #expect(ill.status == 1 && ill.output.contains("✘ home backend"), "\(ill)")
            let advice = try #require(ill.output.components(separatedBy: "try again: identity ").last)
            let well = try await fixture.run(line: advice.trimmingCharacters(in: .newlines))
            #expect(well.status == 0, "\(well)")
        }
    }
}
