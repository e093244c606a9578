import Foundation
import IdentityKit
import IdentityTesting
import Testing

@testable import IdentityLocalServers

/// A client that talks to a local ThunderID server without any client library.
struct ThunderIDVisitor: Sendable {
    typealias Answer = LocalAnswer

    let server: LocalThunderIDServer
    let clock: ManualClock
    private let transport = DefaultTransport.make()

    static let verifier = "a-verifier-that-is-long-enough-for-rfc-7636-section-4"
    static var challenge: String { TokenSigner.base64URL(sha256(Data(verifier.utf8))) }

    /// A client of a fresh server.
    static func start(_ configuration: LocalThunderIDServer.Configuration = .init()) async throws -> ThunderIDVisitor {
        let clock = ManualClock()
        let server = try await LocalThunderIDServer.start(configuration: configuration, clock: clock).untilTestEnds()
        return ThunderIDVisitor(server: server, clock: clock)
    }

    // MARK: Requests

    func send(
        _ method: String, _ path: String, query: [(String, String)] = [], headers: [String: String] = [:],
        form: [(String, String)]? = nil, json: JSONValue? = nil, body: Data? = nil
    ) async throws -> Answer {
        let query = query.isEmpty ? "" : "?" + Self.formEncode(query)
        let url = try #require(URL(string: server.url.absoluteString + path + query))
        var request = try URLRequest(method, url, headers: headers, form: form, json: json)
        if let body { request.httpBody = body }
        return try await transport.answer(to: request)
    }

    func get(_ path: String, query: [(String, String)] = [], bearer: String? = nil) async throws -> Answer {
        try await send("GET", path, query: query, headers: bearer.map { ["Authorization": "Bearer \($0)"] } ?? [:])
    }

    func post(
        _ path: String, json: JSONValue, headers: [String: String] = [:], method: String = "POST"
    ) async throws -> Answer {
        try await send(method, path, headers: headers, json: json)
    }

    func post(_ path: String, form: [(String, String)], headers: [String: String] = [:]) async throws -> Answer {
        try await send("POST", path, headers: headers, form: form)
    }

    func flow(_ body: JSONValue, headers: [String: String] = [:]) async throws -> Answer {
        try await post("/flow/execute", json: body, headers: headers)
    }

    /// Goes on from `answer` with its challenge token.
    func resume(_ answer: Answer, _ members: [String: JSONValue]) async throws -> Answer {
        try await flow(
            .object(
                members.merging([
                    "executionId": answer["executionId"] ?? .null,
                    "challengeToken": answer["challengeToken"] ?? .null,
                ]) { $1 }))
    }

    func token(_ form: [(String, String)], headers: [String: String] = [:]) async throws -> Answer {
        try await post("/oauth2/token", form: form, headers: headers)
    }

    // MARK: Whole conversations

    /// Starts a native sign-in and returns the first prompt.
    func startSignIn(verbose: Bool = false) async throws -> Answer {
        try await start("AUTHENTICATION", verbose: verbose)
    }

    /// Signs in natively and returns the assertion.
    func nativeAssertion() async throws -> String {
        try #require(try await passPassword()["assertion"]?.stringValue)
    }

    /// The right username and password.
    var credentials: JSONValue {
        ["username": .string(server.user.username), "password": .string(server.user.password.reveal())]
    }

    /// A valid authorization request, with some parameters set or, with `nil`, left out.
    func authorizationQuery(_ changes: [String: String?] = [:]) -> [(String, String)] {
        var parameters: [String: String?] = [
            "response_type": "code", "client_id": server.application.clientID,
            "redirect_uri": server.application.redirectURIs[0], "scope": "openid profile email", "state": "st-1",
            "nonce": "no-1", "code_challenge": Self.challenge, "code_challenge_method": "S256",
        ]
        parameters.merge(changes) { $1 }
        return parameters.compactMap { name, value in value.map { (name, $0) } }
    }

    func authorizationURL(_ changes: [String: String?] = [:]) throws -> URL {
        try #require(URL(string: "\(server.url)/oauth2/authorize?\(Self.formEncode(authorizationQuery(changes)))"))
    }

    func authorize(_ changes: [String: String?] = [:]) async throws -> Answer {
        try await get("/oauth2/authorize", query: authorizationQuery(changes))
    }

    /// Signs in by redirect and returns the code.
    func code(_ changes: [String: String?] = [:]) async throws -> String {
        let gate = ScriptedLogin(username: server.user.username, password: server.user.password)
        return try #require(try await gate.signIn(at: try authorizationURL(changes)).parameter("code"))
    }

    func redeem(
        _ code: String, _ changes: [String: String] = [:], headers: [String: String] = [:]
    ) async throws -> Answer {
        let form = [
            "grant_type": "authorization_code", "client_id": server.application.clientID, "code": code,
            "redirect_uri": server.application.redirectURIs[0], "code_verifier": Self.verifier,
        ].merging(changes) { $1 }
        return try await token(form.map { ($0.key, $0.value) }, headers: headers)
    }

    /// Signs in by redirect and returns the token answer.
    func signIn(scope: String = "openid profile email") async throws -> Answer {
        try await redeem(try await code(["scope": scope]))
    }

    func refresh(
        _ refreshToken: JSONValue?, scope: String? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        var form = [
            ("grant_type", "refresh_token"), ("client_id", server.application.clientID),
            ("refresh_token", refreshToken?.stringValue ?? ""),
        ]
        if let scope { form.append(("scope", scope)) }
        return try await token(form, headers: headers)
    }

    // MARK: -

    private static func formEncode(_ form: [(String, String)]) -> String {
        LocalRequest.encodeForm(form.map { (name: $0.0, value: $0.1) })
    }
}

extension LocalAnswer {
    /// The address a redirect leads to.
    var location: URL? { header("Location").flatMap(URL.init(string:)) }

    subscript(member: String) -> JSONValue? { json[member] }

    /// What is asked.
    var identifiers: [String] {
        (self["data"]?["inputs"]?.arrayValue ?? []).compactMap { $0["identifier"]?.stringValue }
    }

    /// What can be chosen.
    var actions: [String] { (self["data"]?["actions"]?.arrayValue ?? []).compactMap { $0["ref"]?.stringValue } }

    /// The ids of all components of the description.
    var componentIDs: [String] {
        func ids(in components: JSONValue?) -> [String] {
            (components?.arrayValue ?? []).flatMap { component in
                [component["id"]?.stringValue].compactMap { $0 } + ids(in: component["components"])
            }
        }
        return ids(in: self["data"]?["meta"]?["components"])
    }
}

extension URL {
    /// A query parameter, with `+` for a space.
    func parameter(_ name: String) -> String? { formParameters[name] }
}
