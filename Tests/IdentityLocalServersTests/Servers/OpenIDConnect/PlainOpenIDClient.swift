import Foundation
import IdentityKit
import IdentityTesting

@testable import IdentityLocalServers

/// A client of a local OpenID Connect server that sends what it is told and checks nothing.
struct PlainOpenIDClient: Sendable {
    typealias Parameters = KeyValuePairs<String, String>

    struct Answer: Sendable {
        let body: Data
        let head: HTTPURLResponse
        /// Parsed once, because a body may have many megabytes.
        let json: JSONValue?

        init(body: Data, head: HTTPURLResponse) {
            (self.body, self.head) = (body, head)
            json = try? JSONValue(parsing: body)
        }

        var status: Int { head.statusCode }
        var text: String { String(decoding: body, as: UTF8.self) }
        func header(_ name: String) -> String? { head.value(forHTTPHeaderField: name) }
        subscript(name: String) -> String? { json?[name]?.stringValue }
        var error: String? { self["error"] }

        /// The text of the last member with this name, for answers that have several.
        func last(_ name: String) -> String? {
            guard let start = body.range(of: Data("\"\(name)\":\"".utf8), options: .backwards)?.upperBound else {
                return nil
            }
            let end = body[start...].firstIndex(of: UInt8(ascii: "\"")) ?? body.endIndex
            return String(decoding: body[start..<end], as: UTF8.self)
        }
    }

    static let verifier = "a-verifier-of-the-least-length-43-characters"
    static let redirectURI = "http://127.0.0.1:9999/callback"

    let server: LocalOpenIDConnectServer
    /// An endless body reaches the limit of size also on a busy machine.
    let transport = DefaultTransport.make(deadline: .seconds(600), maximumResponseSize: 16 << 20)
    let login: ScriptedLogin

    init(_ server: LocalOpenIDConnectServer) {
        self.server = server
        login = ScriptedLogin(username: server.user.username, password: server.user.password)
    }

    /// A fresh server, which signs with a key that is made quickly, and a client of it.
    static func start(
        _ clock: ManualClock = ManualClock(),
        _ configure: (inout LocalOpenIDConnectServer.Configuration) -> Void = { _ in }
    ) async throws -> PlainOpenIDClient {
        let configuration = LocalOpenIDConnectServer.Configuration {
            $0.signingAlgorithm = .es256
            configure(&$0)
        }
        let server = try await LocalOpenIDConnectServer.start(configuration: configuration, clock: clock)
            .untilTestEnds()
        return PlainOpenIDClient(server)
    }

    /// The right user name and password.
    var credentials: [String: String] {
        ["username": server.user.username, "password": server.user.password.reveal()]
    }

    func get(_ path: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send("GET", path, nil, headers)
    }

    func post(_ path: String, _ form: [String: String], headers: [String: String] = [:]) async throws -> Answer {
        try await send("POST", path, form, headers)
    }

    /// Registers a public client.
    func register(_ metadata: [String: JSONValue]) async throws -> Answer {
        try await send(
            "POST", "/register", json: .object(metadata.merging(["token_endpoint_auth_method": "none"]) { $1 }))
    }

    func send(
        _ method: String, _ path: String, _ form: [String: String]? = nil, _ headers: [String: String] = [:],
        json: JSONValue? = nil
    ) async throws -> Answer {
        let form = form?.map { ($0.key, $0.value) }
        let request = try URLRequest(method, address(path), headers: headers, form: form, json: json)
        let (body, head) = try await transport.data(for: request)
        return Answer(body: body, head: head)
    }

    func address(_ path: String) -> URL { URL(string: server.url.absoluteString + path) ?? server.url }

    /// The parameters of a request by the public client.
    func request(_ changes: [String: String?] = [:]) -> [String: String] {
        var parameters: [String: String] = [
            "response_type": "code", "client_id": "swift-app", "redirect_uri": Self.redirectURI,
            "scope": "openid profile email", "state": "the-state", "nonce": "the-nonce",
            "code_challenge": TokenSigner.base64URL(sha256(Data(Self.verifier.utf8))),
            "code_challenge_method": "S256",
        ]
        for (name, value) in changes { parameters[name] = value }
        return parameters
    }

    func authorizationURL(_ changes: [String: String?] = [:]) -> URL {
        address(
            server.configuration.path + "/authorize?"
                + LocalRequest.encodeForm(request(changes).map { ($0.key, $0.value) }))
    }

    /// Where the browser comes back to.
    func callback(_ changes: [String: String?] = [:], login: ScriptedLogin? = nil) async throws -> URL {
        try await (login ?? self.login).signIn(at: authorizationURL(changes))
    }

    func code(_ changes: [String: String?] = [:]) async throws -> String {
        try await callback(changes).parameter("code") ?? ""
    }

    /// The token request for a code of the public client.
    func redeem(
        _ code: String, _ changes: [String: String?] = [:], headers: [String: String] = [:]
    ) async throws -> Answer {
        var form = [
            "grant_type": "authorization_code", "code": code, "client_id": "swift-app",
            "redirect_uri": Self.redirectURI, "code_verifier": Self.verifier,
        ]
        for (name, value) in changes { form[name] = value }
        return try await post(server.configuration.path + "/token", form, headers: headers)
    }

    /// The tokens of a fresh sign-in.
    func tokens(_ changes: [String: String?] = [:]) async throws -> Answer { try await redeem(code(changes)) }

    func refresh(_ token: String, _ changes: [String: String] = [:], headers: [String: String] = [:]) async throws
        -> Answer
    {
        let form = ["grant_type": "refresh_token", "refresh_token": token, "client_id": "swift-app"]
        return try await post("/token", form.merging(changes) { $1 }, headers: headers)
    }

    /// The status of the API that wants an access token.
    func resource(_ token: String, scheme: String = "Bearer", headers: [String: String] = [:]) async throws -> Answer {
        try await get("/api/resource", headers: headers.merging(["Authorization": "\(scheme) \(token)"]) { $1 })
    }

    /// The confidential client's header.
    var serviceHeader: [String: String] {
        let joined = LocalRequest.encodeForm([("swift service", "a secret: +/%&é")])
            .replacingOccurrences(of: "=", with: ":")
        return ["Authorization": "Basic " + Data(joined.utf8).base64EncodedString()]
    }
}

extension URL {
    /// The values of a query parameter.
    func parameters(_ name: String) -> [String] {
        LocalRequest.decodeForm(query ?? "").filter { $0.name == name }.map(\.value)
    }
}

/// A key of a client: signs DPoP proofs and assertions.
struct ClientKey: Sendable {
    private let key = CurvePrivateKey(.p256)

    var publicJWK: JSONValue {
        let point = key.publicKey.point
        return [
            "kty": "EC", "crv": "P-256", "x": .string(TokenSigner.base64URL(Data(point.prefix(32)))),
            "y": .string(TokenSigner.base64URL(Data(point.suffix(32)))),
        ]
    }

    func sign(_ claims: [String: JSONValue], header: [String: JSONValue] = [:]) throws -> String {
        let header = header.merging(["alg": "ES256"]) { $1 }
        let input = [header, claims]
            .map { TokenSigner.base64URL(LocalResponse.json(.object($0)).body) }.joined(separator: ".")
        return try input + "." + TokenSigner.base64URL(key.signature(over: Data(input.utf8)))
    }

    /// A proof for one request (RFC 9449 section 4.2).
    func proof(
        _ method: String, _ address: URL, at date: Date, nonce: String? = nil, accessToken: String? = nil,
        id: String = UUID().uuidString
    ) throws -> [String: String] {
        var claims: [String: JSONValue] = [
            "jti": .string(id), "htm": .string(method), "htu": .string(address.absoluteString),
            "iat": .integer(Int64(date.timeIntervalSince1970)),
        ]
        claims["nonce"] = nonce.map(JSONValue.string)
        claims["ath"] = accessToken.map { .string(TokenSigner.base64URL(sha256(Data($0.utf8)))) }
        return ["DPoP": try sign(claims, header: ["typ": "dpop+jwt", "jwk": publicJWK])]
    }
}
