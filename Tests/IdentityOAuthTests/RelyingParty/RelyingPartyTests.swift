import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("A relying party")
struct RelyingPartyTests {
    private static let issuer = "https://id.example"
    private static let metadata: [String: JSONValue] = [
        "issuer": "https://id.example", "authorization_endpoint": "https://id.example/authorize",
        "token_endpoint": "https://id.example/token", "jwks_uri": "https://id.example/jwks",
    ]

    /// Responds by path, and records the requests.
    private actor Server: HTTPTransport {
        private var answers: [String: (status: Int, body: String)]
        private(set) var paths: [String] = []

        init(_ answers: [String: (status: Int, body: String)]) { self.answers = answers }

        func answer(_ path: String, _ body: String) { answers[path] = (200, body) }

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            let path = request.url?.path ?? ""
            paths.append(path)
            let found = answers[path] ?? (404, "")
            return try httpResponse(found.body, status: found.status, url: request.url?.absoluteString ?? "")
        }
    }

    private let clock = ManualClock()
    private let key: TestKey

    init() throws {
        key = try TestKey(.es256)
    }

    private func party(
        _ server: Server, metadata changes: [String: JSONValue] = [:], clientID: String = "app", dpop: DPoPProver? = nil
    ) throws -> RelyingParty {
        RelyingParty(
            metadata: try AuthorizationServerMetadata(
                members: Self.metadata.merging(changes) { $1 }.filter { $0.value != .null }),
            client: OAuthClient(id: clientID), transport: server, time: clock.timeSource, dpop: dpop)
    }

    private func claims(_ changes: [String: JSONValue] = [:]) -> [String: JSONValue] {
        let now = Int64(clock.now.timeIntervalSince1970)
        return [
            "iss": .string(Self.issuer), "sub": "ada", "aud": "app", "iat": .integer(now), "exp": .integer(now + 300),
        ].merging(changes) { $1 }
    }

    private func keySet(_ key: TestKey? = nil) throws -> String {
        let set: JSONValue = ["keys": [.object((key ?? self.key).jwk)]]
        return String(decoding: try JSONEncoder().encode(set), as: UTF8.self)
    }

    private func tokens(_ idToken: Secret?, type: String = "Bearer") -> String {
        let member = idToken.map { #","id_token":"\#($0.reveal())""# } ?? ""
        return #"{"access_token":"a","token_type":"\#(type)","refresh_token":"r2"\#(member)}"#
    }

    private func server(_ tokenAnswer: String) throws -> Server {
        Server(["/token": (200, tokenAnswer), "/jwks": (200, try keySet())])
    }

    private func request(_ party: RelyingParty, scopes: [String] = ["openid"]) throws -> AuthorizationRequest {
        try party.authorizationRequest(redirectURI: .known("myapp://callback"), scopes: scopes)
    }

    private func callback(_ request: AuthorizationRequest) throws -> URL {
        try .known("myapp://callback?code=c&state=\(request.state)")
    }

    @Test("a code becomes tokens whose ID token was verified")
    func redeems() async throws {
        let draft = try request(party(server("")))
        let server = try server(tokens(key.sign(claims(["nonce": .string(draft.nonce)]))))
        let tokens = try await party(server).redeem(callback(draft), for: draft.pending)
        #expect(tokens.idToken?.subject == "ada")
        let credential = tokens.credential(backend: Self.issuer, clientID: "app")
        #expect(credential.accessToken == "a")
        #expect(credential.refreshToken == "r2")
        #expect(credential.scopes == ["openid"])
    }

    @Test(
        "a flow of another server or client is refused before its code is sent anywhere (RFC 9700 section 4.4)",
        .guards("flow's issuer"),
        arguments: [("https://id.example", "another"), ("https://evil.example", "app"), ("https://id.example/", "app")])
    func mixUp(issuer: String, clientID: String) async throws {
        let pending = try request(party(server(""), metadata: ["issuer": .string(issuer)], clientID: clientID))
        let server = try server(tokens(nil))
        let error = await #expect(throws: OAuthError.self) {
            try await party(server).redeem(callback(pending), for: pending.pending)
        }
        #expect(error?.failureCode == "callback_unknown_flow")
        #expect(await server.paths.isEmpty)
    }

    @Test("only the expected person may come back")
    func subject() async throws {
        var draft = try request(party(server("")))
        let server = try server(tokens(key.sign(claims(["nonce": .string(draft.nonce)]))))
        draft.subject = "ada"
        _ = try await party(server).redeem(callback(draft), for: draft.pending)
        draft.subject = "grace"
        let error = await #expect(throws: OAuthError.self) {
            try await party(server).redeem(callback(draft), for: draft.pending)
        }
        #expect(error?.failureCode == "id_token_sub_mismatch")
    }

    @Test("a response without an ID token is valid only where openid was not asked for")
    func plainOAuth() async throws {
        let server = try server(tokens(nil))
        let party = try party(server)
        let plain = try request(party, scopes: ["read"])
        #expect(try await party.redeem(callback(plain), for: plain.pending).idToken == nil)
        let openID = try request(party)
        let error = await #expect(throws: OAuthError.self) {
            try await party.redeem(callback(openID), for: openID.pending)
        }
        #expect(error?.failureCode == "id_token_missing")
    }

    @Test("no browser opens for a server where the sign-in cannot end", arguments: ["token_endpoint", "jwks_uri"])
    func incompleteServer(member: String) throws {
        let party = try party(server(""), metadata: [member: .null])
        expectFailure("metadata_missing_endpoint") { try request(party) }
    }

    @Test(
        "a bearer token is no response to a proof (RFC 9449 section 5)", .guards("sender-constrained tokens"),
        arguments: [("Bearer", false), ("DPoP", true)])
    func boundTokens(type: String, isAccepted: Bool) async throws {
        let server = try server(tokens(nil, type: type))
        let party = try party(server, dpop: DPoPProver(key: SigningKey(), time: clock.timeSource))
        if isAccepted {
            #expect(try await party.refresh("r", previousIDToken: nil).response.tokenType == .dpop)
        } else {
            let error = await #expect(throws: OAuthError.self) { try await party.refresh("r", previousIDToken: nil) }
            #expect(error?.failureCode == "answer_unsupported_token_type")
        }
    }

    @Test("a refresh whose ID token cannot be verified for now keeps its refresh token and drops the ID token")
    func unverifiableRefresh() async throws {
        let previous = try key.sign(claims())
        let server = Server(["/token": (200, tokens(try key.sign(claims()))), "/jwks": (503, "")])
        let tokens = try await party(server).refresh("r", previousIDToken: previous)
        #expect(tokens.idToken == nil)
        #expect(tokens.droppedIDToken?.identityFailureCode == "answer_failed_status")
        #expect(tokens.response.refreshToken == "r2")
        var credential = Credential(
            accessToken: "old", refreshToken: "r", idToken: previous, scopes: ["openid"], issuedAt: clock.now,
            expiresAt: nil, signedInAt: clock.now, backend: Self.issuer)
        credential = tokens.refreshing(credential)
        #expect(credential.refreshToken == "r2")
        #expect(credential.idToken == previous)
        #expect(credential.scopes == ["openid"])
    }

    @Test("a refresh that repeats the ID token is no fault; a repeated one that is old is dropped")
    func repeatedIDToken() async throws {
        // The hash of another access token than "a".
        let previous = try key.sign(claims(["at_hash": "3BIsuBv6PN-kMlLMQdUKGw"]))
        let server = try server(tokens(previous))
        let fresh = try await party(server).refresh("r", previousIDToken: previous)
        #expect(fresh.idToken?.encoded == previous)
        #expect(fresh.droppedIDToken == nil)
        clock.advance(by: .seconds(3600))
        let stale = try await party(server).refresh("r", previousIDToken: previous)
        #expect(stale.idToken == nil)
        #expect(stale.droppedIDToken?.identityFailureCode == "id_token_expired")
        #expect(stale.response.refreshToken == "r2")
    }

    @Test("a refresh that brings another person's ID token is refused (OpenID Connect Core section 12.2)")
    func foreignRefresh() async throws {
        let previous = try key.sign(claims())
        let server = try server(tokens(key.sign(claims(["sub": "grace"]))))
        let error = await #expect(throws: OAuthError.self) {
            try await party(server).refresh("r", previousIDToken: previous)
        }
        #expect(error?.failureCode == "id_token_sub_mismatch")
    }

    @Test("another key of the same name, as after a restart of the server, ends nothing: the keys are fetched again")
    func keyOfTheSameName() async throws {
        let server = try server(tokens(key.sign(claims())))
        let party = try party(server)
        _ = try await party.refresh("r", previousIDToken: nil)
        let next = try TestKey(.es256)
        await server.answer("/token", tokens(try next.sign(claims())))
        await #expect(throws: OAuthError.invalidToken(.invalidSignature)) {
            try await party.refresh("r", previousIDToken: nil)
        }
        await server.answer("/jwks", try keySet(next))
        #expect(try await party.refresh("r", previousIDToken: nil).idToken != nil)
        #expect(await server.paths.count { $0 == "/jwks" } == 3)
    }

    /// Takes two seconds for each request.
    private struct SlowServer: HTTPTransport {
        let server: Server
        let clock: ManualClock

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            clock.advance(by: .seconds(2))
            return try await server.data(for: request)
        }
    }

    @Test("a lifetime counts from when the request was sent")
    func slowResponse() async throws {
        let body = #"{"access_token":"a","token_type":"Bearer","expires_in":3,"refresh_token":"r2"}"#
        let sentAt = clock.now
        let party = RelyingParty(
            metadata: try AuthorizationServerMetadata(members: Self.metadata), client: OAuthClient(id: "app"),
            transport: SlowServer(server: try server(body), clock: clock), time: clock.timeSource)
        let credential = try await party.refresh("r", previousIDToken: nil)
            .credential(backend: Self.issuer, clientID: "app")
        #expect(credential.expiresAt == sentAt + 3)
        #expect(credential.issuedAt == sentAt + 2)
    }

    @Test("an ID token may be made ten minutes ahead of the server's Date, and the error tells both times")
    func issuedAhead() async throws {
        let now = Int64(clock.now.timeIntervalSince1970)
        func dropped(_ changes: [String: JSONValue], deviceAhead: Duration = .zero) async throws -> (any Error)? {
            let body = tokens(try key.sign(claims(changes)))
            let date = HTTPDateText.format(clock.now)
            let transport = DatedServer(server: try server(body), date: date)
            let party = RelyingParty(
                metadata: try AuthorizationServerMetadata(members: Self.metadata), client: OAuthClient(id: "app"),
                transport: transport, time: clock.dates(aheadBy: { deviceAhead.timeInterval }))
            return try await party.refresh("r", previousIDToken: nil).droppedIDToken
        }
        #expect(try await dropped(["iat": .integer(now + 600), "exp": .integer(now + 900)]) == nil)
        let late = try await dropped(["iat": .integer(now + 601), "exp": .integer(now + 900)]) as? OAuthError
        #expect(late?.failureCode == "id_token_iat_in_future")
        #expect(late?.message.contains(clock.now.ISO8601Format()) == true)
        #expect(late?.message.contains("clock of this device") == false)
        let odd = try await dropped(["nbf": .integer(now + 61)], deviceAhead: .seconds(3600)) as? OAuthError
        #expect(odd?.failureCode == "id_token_nbf_in_future")
        #expect(odd?.message.contains("clock of this device") == true)
    }

    /// Says what time it is.
    private struct DatedServer: HTTPTransport {
        let server: Server
        let date: String

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            let (data, response) = try await server.data(for: request)
            return try httpResponse(
                String(decoding: data, as: UTF8.self), status: response.statusCode, headers: ["Date": date],
                url: request.url?.absoluteString ?? "")
        }
    }

    @Test("a refresh at a server without keys keeps its refresh token and drops the ID token")
    func noKeys() async throws {
        let server = try server(tokens(key.sign(claims())))
        let tokens = try await party(server, metadata: ["jwks_uri": .null]).refresh("r", previousIDToken: nil)
        #expect(tokens.droppedIDToken?.identityFailureCode == "metadata_missing_endpoint")
        #expect(tokens.response.refreshToken == "r2")
    }

    @Test("what is known of the person comes out of the ID token, and a refresh does not forget it")
    func profile() async throws {
        let first = try key.sign(claims(["name": "Ada Lovelace", "picture": "https://id.example/ada.png"]))
        let begun = try await party(server(tokens(first))).refresh("r", previousIDToken: nil)
            .credential(backend: Self.issuer, clientID: "app")
        #expect(begun.profile?.displayName == "Ada Lovelace")
        let second = try key.sign(claims(["email": "ada@example.org"]))
        let refreshed = try await party(server(tokens(second))).refresh("r", previousIDToken: first).refreshing(begun)
        #expect(
            refreshed.profile
                == AccountProfile(
                    displayName: "Ada Lovelace", email: "ada@example.org",
                    picture: URL(string: "https://id.example/ada.png")))
        #expect(
            try await party(server(tokens(nil))).refresh("r", previousIDToken: second).refreshing(refreshed).profile
                == refreshed.profile)
    }

    @Test(
        "a scope under another name of its server satisfies who asked for it by its own",
        arguments: [
            ("openid https://www.googleapis.com/auth/userinfo.email", "email"),
            ("openid https://www.googleapis.com/auth/userinfo.profile", "profile"),
            ("openid https://www.googleapis.com/auth/userinfo.email", "https://www.googleapis.com/auth/userinfo.email"),
        ])
    func scopeAliases(granted: String, asked: String) async throws {
        let body = #"{"access_token":"a","token_type":"Bearer","scope":"\#(granted)"}"#
        let tokens = try await party(server(body)).refresh("r", previousIDToken: nil)
        let credential = tokens.credential(backend: Self.issuer, clientID: "app")
        #expect(credential.scopes.contains(asked))
        #expect(credential.scopes.contains("openid"))
        #expect(credential.scopes.count == 3)
        #expect(tokens.refreshing(credential).scopes == credential.scopes)
    }

    @Test("a server without an endpoint is named with what it lacks")
    func missingEndpoints() async throws {
        let party = try party(server(""))
        let device = await #expect(throws: OAuthError.self) { try await party.authorizeDevice(scopes: []) }
        #expect(device == .invalidMetadata(.missingEndpoint(member: "device_authorization_endpoint")))
        let revocation = await #expect(throws: OAuthError.self) { try await party.revoke("r", hint: .refreshToken) }
        #expect(revocation == .invalidMetadata(.missingEndpoint(member: "revocation_endpoint")))
    }
}
