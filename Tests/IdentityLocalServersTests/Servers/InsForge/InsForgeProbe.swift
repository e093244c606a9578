import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing

/// Talks to a local InsForge server as a client would, and shows every answer as it is.
struct InsForgeProbe: Sendable {
    let server: LocalInsForgeServer
    let clock: ManualClock
    private let transport = DefaultTransport.make()

    /// A client of a server of its own, whose clock moves only by hand.
    static func start(
        _ adjust: (inout LocalInsForgeServer.Configuration) -> Void = { _ in }
    ) async throws -> InsForgeProbe {
        let clock = ManualClock()
        let configuration = LocalInsForgeServer.Configuration {
            // What is not about limits need not wait for them.
            $0.enforcesRateLimits = false
            adjust(&$0)
        }
        let server = try await LocalInsForgeServer.start(configuration: configuration, clock: clock).untilTestEnds()
        return InsForgeProbe(server: server, clock: clock)
    }

    /// Sends a request with an optional JSON body and an optional bearer credential.
    func send(
        _ method: String, _ target: String, _ body: JSONValue? = nil, bearer: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> LocalAnswer {
        let text = try body.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        return try await send(
            method, target, text: text,
            headers: headers.merging(bearer.map { ["Authorization": "Bearer \($0)"] } ?? [:]) { $1 })
    }

    /// Sends a request whose body may be anything that claims to be JSON.
    func send(
        _ method: String, _ target: String, text: String?, headers: [String: String] = [:]
    ) async throws -> LocalAnswer {
        guard let url = URL(string: server.url.absoluteString + target) else { throw URLError(.badURL) }
        let type = text.map { _ in ["Content-Type": "application/json"] } ?? [:]
        var request = try URLRequest(method, url, headers: type.merging(headers) { $1 })
        request.httpBody = text.map { Data($0.utf8) }
        return try await transport.answer(to: request)
    }

    // MARK: Steps that many tests begin with

    /// Signs the seeded user in.
    func signIn(clientType: String = "mobile") async throws -> LocalAnswer {
        try await send(
            "POST", "/api/auth/sessions?client_type=\(clientType)",
            ["email": .string(server.user.email), "password": .string(server.user.password)])
    }

    /// Signs in with an address and a password, as a browser.
    func signIn(as email: JSONValue, password: JSONValue) async throws -> LocalAnswer {
        try await send("POST", "/api/auth/sessions", ["email": email, "password": password])
    }

    func adminSignIn() async throws -> LocalAnswer {
        let body: JSONValue = ["username": "admin", "password": "change-this-password"]
        return try await send("POST", "/api/auth/admin/sessions", body)
    }

    /// The code that is mailed when somebody asks for one.
    func mailedCode(_ path: String = "send-otp", to email: JSONValue) async throws -> String {
        _ = try await send("POST", "/api/auth/email/" + path, ["email": email])
        return try #require(server.outbox.last?.code)
    }

    /// The code that is mailed after a sign-up.
    func signUpCode(_ email: String) async throws -> String {
        _ = try await signUp(email)
        return try #require(server.outbox.last?.code)
    }

    /// Signs a new user up with the anonymous key.
    func signUp(
        _ email: String, password: String = "correct horse", adding extra: [String: JSONValue] = [:]
    ) async throws -> LocalAnswer {
        let body: [String: JSONValue] = ["email": .string(email), "password": .string(password)]
        return try await send(
            "POST", "/api/auth/users?client_type=mobile", .object(body.merging(extra) { $1 }), bearer: server.anonKey)
    }

    func refresh(_ token: String) async throws -> LocalAnswer {
        try await send("POST", "/api/auth/refresh?client_type=mobile", ["refreshToken": .string(token)])
    }

    func currentSession(_ bearer: String) async throws -> LocalAnswer {
        try await send("GET", "/api/auth/sessions/current", bearer: bearer)
    }
}

typealias Failure = LocalAnswer.Failure

extension LocalAnswer {
    /// The body as JSON; `null` when it is none.
    var json: JSONValue { (try? JSONValue(parsing: Data(body.utf8))) ?? .null }

    /// A text member of the body; empty when there is none.
    func text(_ name: String) -> String { json[name]?.stringValue ?? "" }

    /// Status, code and text of an error answer.
    var failure: Failure { Failure(status, text("error"), text("message")) }

    /// What a client tells errors apart by.
    struct Failure: Equatable, CustomStringConvertible {
        let status: Int
        let code: String
        let message: String

        init(_ status: Int, _ code: String, _ message: String) {
            (self.status, self.code, self.message) = (status, code, message)
        }

        static func invalid(_ message: String) -> Failure { Failure(400, "INVALID_INPUT", message) }
        static func unauthorized(_ message: String) -> Failure { Failure(401, "AUTH_UNAUTHORIZED", message) }
        static func badCredentials(_ message: String) -> Failure { Failure(401, "AUTH_INVALID_CREDENTIALS", message) }

        var description: String { "\(status) \(code): \(message)" }
    }

    /// The value of the first cookie that is set.
    var cookie: String? { header("Set-Cookie")?.split(separator: ";").first.map(String.init) }

    /// The form-decoded parameters of the redirect's address.
    var locationParameters: [String: String] {
        header("Location").flatMap { URL(string: $0) }?.formParameters ?? [:]
    }
}
