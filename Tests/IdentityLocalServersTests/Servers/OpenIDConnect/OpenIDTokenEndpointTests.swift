import Foundation
import IdentityKit
import Testing

@testable import IdentityTesting
@testable import IdentityLocalServers

@Suite("OpenID Connect server: token endpoint", .stopsServers)
struct OpenIDTokenEndpointTests {
    let clock = ManualClock()

    @Test("A refresh spends the token and keeps its scopes (RFC 6749 section 6)")
    func rotation() async throws {
        let client = try await PlainOpenIDClient.start(clock)
        let first = try await client.tokens()
        let second = try await client.refresh(first["refresh_token"] ?? "")
        #expect(second.status == 200)
        #expect(second["scope"] == first["scope"])
        #expect(second["refresh_token"] != first["refresh_token"])
        let claims = second["id_token"].flatMap(SignedMessage.init)?.claims
        #expect(claims?["nonce"] == nil)
        #expect(claims?["sub"]?.stringValue == client.server.user.id)

        #expect(try await client.refresh(first["refresh_token"] ?? "").error == "invalid_grant")
        #expect(try await client.refresh(second["refresh_token"] ?? "").error == "invalid_grant")
        #expect(client.server.counters.refreshes == 1)
        #expect(client.server.counters.replays == 1)
        #expect(client.server.counters.familiesRevoked == 1)
    }

    @Test("Within the grace a spent refresh token works again, and no longer")
    func rotationGrace() async throws {
        let client = try await PlainOpenIDClient.start(clock) { $0.rotationGrace = .seconds(10) }
        let token = try await client.tokens()["refresh_token"] ?? ""
        #expect(try await client.refresh(token).status == 200)
        clock.advance(by: .seconds(9))
        #expect(try await client.refresh(token).status == 200)
        clock.advance(by: .seconds(1))
        #expect(try await client.refresh(token).error == "invalid_grant")
    }

    @Test("Without rotation the refresh token stays")
    func noRotation() async throws {
        let client = try await PlainOpenIDClient.start(clock) { $0.rotatesRefreshTokens = false }
        let token = try await client.tokens()["refresh_token"] ?? ""
        let second = try await client.refresh(token)
        #expect(second.status == 200 && second["refresh_token"] == nil)
        #expect(try await client.refresh(token).status == 200)
    }

    @Test("A refresh narrows the scope and never widens it (RFC 6749 section 6)")
    func refreshScope() async throws {
        let client = try await PlainOpenIDClient.start(clock) { $0.clients.append(.init(id: "another")) }
        let token = try await client.tokens()["refresh_token"] ?? ""
        #expect(try await client.refresh(token, ["scope": "openid read"]).error == "invalid_scope")
        // To any other client the token is unknown, whatever it was granted for.
        let other = ["client_id": "another", "scope": "openid read"]
        #expect(try await client.refresh(token, other).error == "invalid_grant")
        #expect(try await client.refresh(token, ["scope": "openid"])["scope"] == "openid")
    }

    @Test("Tokens expire")
    func expiry() async throws {
        let client = try await PlainOpenIDClient.start(clock)
        let tokens = try await client.tokens()
        clock.advance(by: client.server.configuration.accessTokenLifetime)
        #expect(try await client.resource(tokens["access_token"] ?? "").status == 401)
        clock.advance(by: client.server.configuration.refreshTokenLifetime)
        #expect(try await client.refresh(tokens["refresh_token"] ?? "").error == "invalid_grant")
    }

    @Test("client_secret_basic takes form-encoded halves (RFC 6749 section 2.3.1)")
    func basic() async throws {
        let client = try await PlainOpenIDClient.start(clock)
        let form = ["grant_type": "client_credentials", "scope": "read"]
        let answer = try await client.post("/token", form, headers: client.serviceHeader)
        #expect(answer.status == 200 && answer["id_token"] == nil)
        #expect(answer["refresh_token"] == nil)
        let plain = Data("swift service:a secret: +/%&é".utf8).base64EncodedString()
        let refused = try await client.post("/token", form, headers: ["Authorization": "Basic \(plain)"])
        #expect(refused.status == 401 && refused.error == "invalid_client")
        #expect(refused.header("WWW-Authenticate")?.hasPrefix("Basic ") == true)
    }

    @Test("client_secret_post and private_key_jwt authenticate, each only as registered (RFC 7523 section 3)")
    func otherAuthentication() async throws {
        let key = ClientKey()
        let client = try await PlainOpenIDClient.start(clock) {
            $0.clients += [
                .init(id: "poster", authentication: .post("the secret")),
                .init(id: "signer", authentication: .privateKeyJWT([key.publicJWK])),
            ]
        }
        func ask(_ fields: [String: String]) async throws -> PlainOpenIDClient.Answer {
            try await client.post("/token", fields.merging(["grant_type": "client_credentials"]) { $1 })
        }
        #expect(try await ask(["client_id": "poster", "client_secret": "the secret"]).status == 200)
        #expect(try await ask(["client_id": "poster", "client_secret": "wrong"]).error == "invalid_client")
        #expect(try await ask(["client_id": "poster"]).error == "invalid_client")
        #expect(try await ask(["client_id": "swift-app"]).error == "unauthorized_client")

        func assertion(_ changes: [String: JSONValue] = [:], by key: ClientKey) throws -> [String: String] {
            let claims: [String: JSONValue] = [
                "iss": "signer", "sub": "signer", "aud": .string(client.server.issuer),
                "exp": .integer(clock.now.wholeSeconds + 60), "jti": .string(UUID().uuidString),
            ]
            return [
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                "client_assertion": try key.sign(claims.merging(changes) { $1 }),
            ]
        }
        let good = try assertion(by: key)
        #expect(try await ask(good).status == 200)
        #expect(try await ask(good).error == "invalid_client")
        #expect(try await ask(assertion(by: ClientKey())).error == "invalid_client")
        #expect(try await ask(assertion(["aud": "https://issuer.example"], by: key)).error == "invalid_client")
        #expect(try await ask(assertion(["exp": 1], by: key)).error == "invalid_client")
        #expect(try await ask(assertion(["iss": "poster"], by: key)).error == "invalid_client")
        let now = clock.now.timeIntervalSince1970
        for wrong in [["exp": now + 3600], ["iat": now + 300], ["iat": now - 3600], ["nbf": now + 300]] {
            #expect(try await ask(assertion(wrong.mapValues(JSONValue.number), by: key)).error == "invalid_client")
        }
    }

    @Test("client_secret_jwt is an assertion with an HMAC, once, for this server and for a while (RFC 7523 section 3)")
    func secretAssertion() async throws {
        let secret: Secret = "the secret has more than 32 bytes"
        let client = try await PlainOpenIDClient.start(clock) {
            $0.clients += [
                .init(id: "signer", authentication: .secretJWT(secret)),
                .init(id: "weak", authentication: .secretJWT("short")),
            ]
        }
        func status(_ changes: [String: JSONValue] = [:], by secret: Secret, alg: String = "HS256") async throws -> Int
        {
            let claims: [String: JSONValue] = [
                "iss": "signer", "sub": "signer", "aud": .string(client.server.issuer),
                "exp": .integer(clock.now.wholeSeconds + 60), "jti": .string(UUID().uuidString),
            ]
            let parts = [["alg": .string(alg)], claims.merging(changes) { $1 }].map {
                TokenSigner.base64URL(LocalResponse.json(.object($0)).body)
            }
            let input = parts.joined(separator: ".")
            let mac = hmacSHA256(Data(input.utf8), key: Data(secret.reveal().utf8))
            let fields = [
                "grant_type": "client_credentials", "client_assertion": input + "." + TokenSigner.base64URL(mac),
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ]
            let answer = try await client.post("/token", fields)
            #expect(answer.status == 200 || answer.error == "invalid_client")
            return answer.status
        }
        #expect(try await status(by: secret) == 200)
        #expect(try await status(by: "another secret of more than 32 bytes") == 401)
        #expect(try await status(by: secret, alg: "none") == 401)
        #expect(try await status(["aud": "https://issuer.example"], by: secret) == 401)
        #expect(try await status(["exp": 1], by: secret) == 401)
        #expect(try await status(["iss": "poster"], by: secret) == 401)
        #expect(try await status(["jti": .null], by: secret) == 401)
        #expect(try await status(["jti": "once"], by: secret) == 200)
        #expect(try await status(["jti": "once"], by: secret) == 401)
        #expect(try await status(["iss": "weak", "sub": "weak"], by: "short") == 401)
        let plain = ["grant_type": "client_credentials", "client_id": "signer", "client_secret": secret.reveal()]
        #expect(try await client.post("/token", plain).error == "invalid_client")
    }

    @Test("Token exchange trades an access token or an ID token for another access token (RFC 8693)")
    func tokenExchange() async throws {
        let client = try await PlainOpenIDClient.start(clock)
        let tokens = try await client.tokens(["scope": "openid read write"])
        let type = "urn:ietf:params:oauth:token-type:"
        func exchange(_ token: String?, _ kind: String, _ more: [String: String] = [:]) async throws
            -> PlainOpenIDClient.Answer
        {
            let form = [
                "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": token ?? "",
                "subject_token_type": type + kind,
            ]
            return try await client.post("/token", form.merging(more) { $1 }, headers: client.serviceHeader)
        }
        let answer = try await exchange(tokens["access_token"], "access_token", ["scope": "read", "audience": "api"])
        #expect(answer["issued_token_type"] == type + "access_token")
        #expect(answer["scope"] == "read")
        #expect(try await client.resource(answer["access_token"] ?? "")["subject"] == client.server.user.id)
        #expect(try await exchange(tokens["id_token"], "id_token").status == 200)
        #expect(try await exchange("nonsense", "access_token").error == "invalid_request")
        #expect(try await exchange(tokens["access_token"], "saml2").error == "invalid_request")
        #expect(
            try await exchange(tokens["access_token"], "access_token", ["scope": "email"]).error == "invalid_scope")
    }

    @Test("Revocation of a refresh token ends the sign-in, of an access token only the token (RFC 7009 section 2.1)")
    func revocation() async throws {
        let client = try await PlainOpenIDClient.start(clock)
        let tokens = try await client.tokens()
        func revoke(_ token: String?, headers: [String: String] = [:]) async throws -> PlainOpenIDClient.Answer {
            let id = headers.isEmpty ? ["client_id": "swift-app"] : [:]
            return try await client.post("/revoke", id.merging(["token": token ?? ""]) { $1 }, headers: headers)
        }
        #expect(try await revoke(tokens["access_token"], headers: client.serviceHeader).status == 400)
        #expect(try await client.resource(tokens["access_token"] ?? "").status == 200)
        #expect(try await revoke(tokens["access_token"]).status == 200)
        #expect(try await client.resource(tokens["access_token"] ?? "").status == 401)
        let second = try await client.refresh(tokens["refresh_token"] ?? "")
        #expect(second.status == 200)
        #expect(try await revoke(second["refresh_token"]).status == 200)
        #expect(try await client.resource(second["access_token"] ?? "").status == 401)
        #expect(try await client.refresh(second["refresh_token"] ?? "").error == "invalid_grant")
        #expect(try await revoke("unknown").status == 200)
    }

    @Test("Introspection tells clients with credentials about tokens (RFC 7662)")
    func introspection() async throws {
        let client = try await PlainOpenIDClient.start(clock)
        let tokens = try await client.tokens()
        func ask(_ token: String?) async throws -> PlainOpenIDClient.Answer {
            try await client.post("/introspect", ["token": token ?? "x"], headers: client.serviceHeader)
        }
        let answer = try await ask(tokens["access_token"])
        #expect(answer.json?["active"] == true)
        #expect(answer["client_id"] == "swift-app")
        #expect(answer["username"] == "ada")
        #expect(try await ask(tokens["refresh_token"]).json?["active"] == true)
        client.server.revokeTokens(ofUser: client.server.user.id)
        #expect(try await ask(tokens["access_token"]).json == ["active": false])
        #expect(try await ask("unknown").json == ["active": false])
        let form = ["token": tokens["access_token"] ?? "", "client_id": "swift-app"]
        #expect(try await client.post("/introspect", form).status == 401)
    }

    @Test("Requests that are no grant are refused (RFC 6749 section 5.2)")
    func refusals() async throws {
        let client = try await PlainOpenIDClient.start(clock)
        #expect(
            try await client.post("/token", ["client_id": "swift-app", "grant_type": "password"]).error
                == "unsupported_grant_type")
        #expect(try await client.post("/token", ["client_id": "swift-app"]).error == "invalid_request")
        #expect(try await client.post("/token", [:]).error == "invalid_request")
        #expect(try await client.get("/token").status == 405)
        #expect(try await client.get("/nowhere").status == 404)
    }
}
