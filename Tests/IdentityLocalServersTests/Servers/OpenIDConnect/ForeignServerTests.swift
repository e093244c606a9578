import Foundation
import IdentityKit
import TestSupport
import Testing

@testable import IdentityLocalServers

/// The scripted person finds the way through pages of other authors, and the servers do what the runs against
/// them rely on. One test after another, because Canaille confuses the codes of sign-ins that overlap.
@Suite("Foreign OpenID Connect servers", .enabled(if: ForeignServer.isRunning), .serialized)
struct ForeignServerTests {
    static let names = ["canaille", "django-allauth"]

    @Test("A person signs in, and code, tokens, user info, refresh and sign-out follow", arguments: names)
    func codeFlow(name: String) async throws {
        let run = try await ForeignRun(.named(name))
        let login = ScriptedLogin(answers: run.server.answers.mapValues { Secret($0) })
        let client = run.server.publicClient
        let tokens = try await run.signIn(clientID: client.clientID, login)
        let idToken = try #require(tokens["id_token"]?.stringValue)
        let claims = try #require(SignedMessage(idToken)?.claims)
        #expect(claims["iss"]?.stringValue == run.server.issuer)
        #expect(claims["nonce"] == "the-nonce")

        let userInfo = try await run.userInfo(tokens["access_token"]?.stringValue ?? "")
        #expect(userInfo["sub"] == claims["sub"])
        #expect(userInfo["email"]?.stringValue == run.server.user.email)

        let refreshed = try await run.post(
            "token_endpoint",
            [
                "grant_type": "refresh_token", "client_id": client.clientID,
                "refresh_token": tokens["refresh_token"]?.stringValue ?? "",
            ])
        #expect(refreshed["access_token"]?.stringValue != nil)

        let signOut = ScriptedLogin(
            answers: (run.server.signOutAnswers ?? [:]).mapValues { Secret($0) }, sharing: login)
        let landing = try await signOut.visit(run.endSessionURL(idToken: idToken))
        #expect(landing.url.absoluteString.hasPrefix(run.server.postLogoutRedirectURI))
    }

    @Test("ID tokens are signed as the client registered", arguments: ["RS256", "RS512", "PS256", "ES256", "EdDSA"])
    func algorithms(name: String) async throws {
        let run = try await ForeignRun(.named("canaille"))
        let login = ScriptedLogin(answers: run.server.answers.mapValues { Secret($0) })
        let clientID = try #require(run.server.algorithmClients[name])
        let tokens = try await run.signIn(clientID: clientID, login)
        let token = try #require(tokens["id_token"]?.stringValue.flatMap(SignedMessage.init), "\(tokens)")
        #expect(token.header["alg"]?.stringValue == name)
        #expect(try await run.keys().contains(where: token.isSigned))
    }

    @Test("A client with a secret gets a token for itself", arguments: names)
    func clientCredentials(name: String) async throws {
        let run = try await ForeignRun(.named(name))
        let answer = try await run.post(
            "token_endpoint", ["grant_type": "client_credentials", "scope": "email"], asConfidentialClient: true)
        #expect(answer["access_token"]?.stringValue != nil)
    }

    @Test("A person connects a device, which was told to slow down before (RFC 8628)")
    func deviceFlow() async throws {
        let run = try await ForeignRun(.named("django-allauth"))
        let client = run.server.publicClient.clientID
        let device = try await run.post("device_authorization_endpoint", ["client_id": client, "scope": "openid"])
        let question = [
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": client,
            "device_code": device["device_code"]?.stringValue ?? "",
        ]
        #expect(try await run.post("token_endpoint", question)["error"] == "authorization_pending")
        #expect(try await run.post("token_endpoint", question)["error"] == "slow_down")
        let page = try #require(
            (device["verification_uri_complete"] ?? device["verification_uri"])?.stringValue.flatMap(URL.init(string:)))
        let answers = (run.server.deviceAnswers ?? [:]).mapValues { Secret($0) }
        try await ScriptedLogin(answers: answers)
            .decideOnDevice(at: page, userCode: device["user_code"]?.stringValue)
        // The server measures with its own clock, so this is the one place that waits.
        var answer: JSONValue = nil
        for _ in 0..<30 where answer["access_token"] == nil {
            try await Task.sleep(for: .milliseconds(500))
            answer = try await run.post("token_endpoint", question)
        }
        #expect(answer["access_token"]?.stringValue != nil)
    }
}

/// One server with its metadata.
private struct ForeignRun: Sendable {
    let server: ForeignServer
    let metadata: JSONValue
    private let transport = DefaultTransport.make()

    init(_ server: ForeignServer) async throws {
        self.server = server
        let url = try #require(URL(string: server.issuer + "/.well-known/openid-configuration"))
        metadata = try JSONValue(parsing: try await transport.data(for: URLRequest(url: url)).0)
        try #require(metadata["issuer"]?.stringValue == server.issuer)
    }

    /// The token answer of a sign-in by a public client.
    func signIn(clientID: String, _ login: ScriptedLogin) async throws -> JSONValue {
        let request = try url(
            "authorization_endpoint",
            [
                "response_type": "code", "client_id": clientID, "redirect_uri": server.redirectURI,
                "scope": "openid profile email", "state": "the-state", "nonce": "the-nonce",
                "code_challenge_method": "S256",
                "code_challenge": TokenSigner.base64URL(sha256(Data(PlainOpenIDClient.verifier.utf8))),
            ])
        let callback = try await login.signIn(at: request)
        #expect(callback.absoluteString.hasPrefix(server.redirectURI + "?"))
        #expect(callback.parameter("state") == "the-state")
        return try await post(
            "token_endpoint",
            [
                "grant_type": "authorization_code", "code": callback.parameter("code") ?? "",
                "redirect_uri": server.redirectURI, "client_id": clientID,
                "code_verifier": PlainOpenIDClient.verifier,
            ])
    }

    func keys() async throws -> [PublicJWK] {
        let answer = try await transport.data(for: URLRequest(url: url("jwks_uri", [:]))).0
        return (try JSONValue(parsing: answer)["keys"]?.arrayValue ?? []).compactMap(PublicJWK.init)
    }

    func endSessionURL(idToken: String) throws -> URL {
        try url(
            "end_session_endpoint",
            [
                // Canaille's ID tokens are for a list of clients, so it wants to know which one asks.
                "client_id": server.publicClient.clientID, "id_token_hint": idToken,
                "post_logout_redirect_uri": server.postLogoutRedirectURI, "state": "the-state",
            ])
    }

    private func url(_ endpoint: String, _ parameters: [String: String]) throws -> URL {
        let address = try #require(metadata[endpoint]?.stringValue)
        return try #require(
            URL(string: address + "?" + LocalRequest.encodeForm(parameters.map { ($0.key, $0.value) })))
    }

    func userInfo(_ token: String) async throws -> JSONValue {
        var request = URLRequest(url: try url("userinfo_endpoint", [:]))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return try JSONValue(parsing: try await transport.data(for: request).0)
    }

    func post(
        _ endpoint: String, _ form: [String: String], asConfidentialClient: Bool = false
    ) async throws -> JSONValue {
        var request = URLRequest(url: try #require(metadata[endpoint]?.stringValue.flatMap(URL.init(string:))))
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(LocalRequest.encodeForm(form.map { ($0.key, $0.value) }).utf8)
        if asConfidentialClient {
            let client = server.confidentialClient
            let halves = LocalRequest.encodeForm([(client.clientID, client.clientSecret ?? "")])
            let credentials = Data(halves.replacingOccurrences(of: "=", with: ":").utf8).base64EncodedString()
            request.setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
        }
        return try JSONValue(parsing: try await transport.data(for: request).0)
    }
}
