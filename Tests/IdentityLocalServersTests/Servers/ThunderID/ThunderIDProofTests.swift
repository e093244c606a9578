import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("ThunderID DPoP (RFC 9449)", .stopsServers)
struct ThunderIDProofTests {
    private let key = ClientKey()

    @Test("A proof binds the tokens to its key, whatever they are used for")
    func binding() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let tokens = try await visitor.redeem(
            try await visitor.code(), headers: proof("POST", "/oauth2/token", visitor))
        #expect(tokens["token_type"] == "DPoP")
        let access = try #require(tokens["access_token"]?.stringValue)
        #expect(try claims(of: tokens["access_token"])["cnf"]?["jkt"] != nil)

        for path in ["/oauth2/userinfo", "/api/resource"] {
            let good = try proof("GET", path, visitor, accessToken: access)
                .merging(["Authorization": "DPoP \(access)"]) { $1 }
            #expect(try await visitor.send("GET", path, headers: good).status == 200, "\(path)")
            #expect(try await visitor.send("GET", path, headers: good).status == 401, "a proof used twice")
            let bearer = try await visitor.get(path, bearer: access)
            #expect(bearer.status == 401, "a bound token as a bearer token")
            let challenge = try #require(bearer.header("WWW-Authenticate"))
            #expect(challenge.hasPrefix(path == "/api/resource" ? "DPoP error=" : "DPoP algs=\"ES256 "))
            let others = try ClientKey().proof(
                "GET", address(path, visitor), at: visitor.clock.now, accessToken: access
            ).merging(["Authorization": "DPoP \(access)"]) { $1 }
            #expect(try await visitor.send("GET", path, headers: others).status == 401, "another key")
        }
    }

    @Test("The person's own record takes a bound token as a bearer token, and knows no other scheme")
    func ownRecord() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let tokens = try await visitor.redeem(
            try await visitor.code(), headers: proof("POST", "/oauth2/token", visitor))
        let access = try #require(tokens["access_token"]?.stringValue)
        #expect(try await visitor.get("/users/me", bearer: access).status == 200)
        let proven = try proof("GET", "/users/me", visitor, accessToken: access)
            .merging(["Authorization": "DPoP \(access)"]) { $1 }
        let refused = try await visitor.send("GET", "/users/me", headers: proven)
        #expect(refused.status == 401 && refused.header("WWW-Authenticate") == "Bearer")
    }

    @Test("A token that is not bound has no use for a proof")
    func unboundToken() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let access = try #require(try await visitor.signIn()["access_token"]?.stringValue)
        for path in ["/oauth2/userinfo", "/api/resource"] {
            let proven = try proof("GET", path, visitor, accessToken: access)
                .merging(["Authorization": "DPoP \(access)"]) { $1 }
            #expect(try await visitor.send("GET", path, headers: proven).status == 401, "\(path)")
        }
    }

    @Test("Every answer says what time it is at the server")
    func date() async throws {
        let visitor = try await ThunderIDVisitor.start()
        visitor.clock.advance(by: .seconds(86_400))
        for path in ["/oauth2/jwks", "/users/me", "/nowhere"] {
            let date = try await visitor.get(path).header("Date")
            #expect(date == HTTPDateText.format(visitor.clock.now), "\(path)")
        }
    }

    @Test("A bound refresh token is refreshed with its own key alone, and a refusal does not spend it")
    func refresh() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let tokens = try await visitor.redeem(
            try await visitor.code(), headers: proof("POST", "/oauth2/token", visitor))
        #expect(try await visitor.refresh(tokens["refresh_token"])["error"] == "invalid_grant")
        let refreshed = try await visitor.refresh(
            tokens["refresh_token"], headers: proof("POST", "/oauth2/token", visitor))
        #expect(refreshed["token_type"] == "DPoP")
    }

    @Test("A proof for another request, of another time or with too long an id is refused")
    func wrongProofs() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let now = visitor.clock.now
        let url = address("/oauth2/token", visitor)
        let proofs = [
            try key.proof("GET", url, at: now), try key.proof("POST", address("/elsewhere", visitor), at: now),
            try key.proof("POST", url, at: now - 66), try key.proof("POST", url, at: now + 66),
            try key.proof("POST", url, at: now, id: String(repeating: "i", count: 257)), ["DPoP": "nonsense"],
        ]
        for proof in proofs {
            let refused = try await visitor.redeem("any", headers: proof)
            #expect(refused.status == 400 && refused["error"] == "invalid_dpop_proof")
        }
    }

    @Test("An application, or the whole server, can insist on it", arguments: [false, true])
    func required(byApplication: Bool) async throws {
        let configuration = LocalThunderIDServer.Configuration {
            $0.application.requiresDPoP = byApplication
            $0.requiresDPoP = !byApplication
        }
        let visitor = try await ThunderIDVisitor.start(configuration)
        let code = try await visitor.code()
        #expect(try await visitor.redeem(code)["error"] == "invalid_dpop_proof")
        let tokens = try await visitor.redeem(code, headers: proof("POST", "/oauth2/token", visitor))
        #expect(tokens.status == 200, "the refusal came before the code was consumed")
    }

    @Test("A code can be bound to a key in advance, by a parameter or by the pushed request", arguments: [false, true])
    func boundCode(isPushed: Bool) async throws {
        let visitor = try await ThunderIDVisitor.start()
        var changes: [String: String?] = ["dpop_jkt": PublicJWK(key.publicJWK).map(\.thumbprint)]
        if isPushed {
            let pushed = try await visitor.post(
                "/oauth2/par", form: visitor.authorizationQuery(), headers: proof("POST", "/oauth2/par", visitor))
            changes = ["request_uri": pushed["request_uri"]?.stringValue]
        }
        let other = try ClientKey().proof("POST", address("/oauth2/token", visitor), at: visitor.clock.now)
        #expect(
            try await visitor.redeem(try await visitor.code(changes), headers: other)["error"]
                == "invalid_dpop_proof")
        if isPushed { return }
        let tokens = try await visitor.redeem(
            try await visitor.code(changes), headers: proof("POST", "/oauth2/token", visitor))
        #expect(tokens["token_type"] == "DPoP")
    }

    @Test("A pushed request that names another key than its proof is refused (section 10.1)")
    func contradiction() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let query = visitor.authorizationQuery(["dpop_jkt": PublicJWK(ClientKey().publicJWK)?.thumbprint])
        let refused = try await visitor.post(
            "/oauth2/par", form: query, headers: proof("POST", "/oauth2/par", visitor))
        #expect(refused.status == 400 && refused["error"] == "invalid_dpop_proof")
    }

    private func address(_ path: String, _ visitor: ThunderIDVisitor) -> URL {
        visitor.server.url.appendingPathComponent(path)
    }

    private func proof(
        _ method: String, _ path: String, _ visitor: ThunderIDVisitor, accessToken: String? = nil
    ) throws -> [String: String] {
        try key.proof(method, address(path, visitor), at: visitor.clock.now, accessToken: accessToken)
    }
}

@Suite("ThunderID clients that sign (private_key_jwt)", .stopsServers)
struct ThunderIDClientAssertionTests {
    private let key = ClientKey()

    @Test("A client signs an assertion for the issuer, and each counts once")
    func assertion() async throws {
        let visitor = try await start()
        let form = try form(visitor)
        #expect(try await visitor.token(form).status == 200)
        let again = try await visitor.token(form)
        #expect(again.status == 401 && again["error"] == "invalid_client")
    }

    @Test(
        "An assertion for another audience, of another time, client or key is refused",
        arguments: ["aud", "exp", "iss", "sub", "key", "type"])
    func wrongAssertion(part: String) async throws {
        let visitor = try await start()
        let refused = try await visitor.token(try form(visitor, wrong: part))
        #expect(refused.status == 401 && refused["error"] == "invalid_client")
    }

    @Test("A client that can sign must, and one that cannot may not")
    func methodMismatch() async throws {
        let visitor = try await start()
        let bare = try await visitor.token([("client_id", "swift-demo"), ("grant_type", "client_credentials")])
        #expect(bare.status == 401)
        let keyless = try await ThunderIDVisitor.start()
        let refused = try await keyless.token(try form(keyless))
        #expect(refused.status == 400 && refused["error"] == "unauthorized_client")
    }

    private func start() async throws -> ThunderIDVisitor {
        let application = LocalThunderIDServer.Application(
            grantTypes: [.clientCredentials], clientAuthentication: .privateKeyJWT(keys: [key.publicJWK]))
        return try await ThunderIDVisitor.start(.init(application: application))
    }

    private func form(_ visitor: ThunderIDVisitor, wrong part: String? = nil) throws -> [(String, String)] {
        let now = visitor.clock.now.timeIntervalSince1970
        let claims: [String: JSONValue] = [
            "iss": part == "iss" ? "somebody" : "swift-demo", "sub": part == "sub" ? "somebody" : "swift-demo",
            "aud": .string(part == "aud" ? "\(visitor.server.url)/oauth2/token" : visitor.server.issuer),
            "exp": .integer(Int64(now) + (part == "exp" ? -1 : 60)), "jti": .string(UUID().uuidString),
        ]
        let assertion = try (part == "key" ? ClientKey() : key).sign(claims)
        let type = part == "type" ? "saml2-bearer" : "jwt-bearer"
        return [
            ("grant_type", "client_credentials"), ("client_assertion", assertion),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:\(type)"),
        ]
    }
}
