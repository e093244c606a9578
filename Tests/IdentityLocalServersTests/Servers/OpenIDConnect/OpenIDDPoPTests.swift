import Foundation
import IdentityKit
import Testing

@testable import IdentityTesting
@testable import IdentityLocalServers

@Suite("OpenID Connect server: DPoP (RFC 9449)", .stopsServers)
struct OpenIDDPoPTests {
    let clock = ManualClock()
    let key = ClientKey()
    let client: PlainOpenIDClient
    var server: LocalOpenIDConnectServer { client.server }

    init() async throws { client = try await PlainOpenIDClient.start(clock) { $0.requiresDPoPNonces = true } }

    @Test("Without the server's nonce a proof is refused, with it the token is bound (sections 8 and 5)")
    func nonceAndBinding() async throws {
        let code = try await client.code()
        let refused = try await client.redeem(code, headers: proof("/token"))
        #expect(refused.status == 400 && refused.error == "use_dpop_nonce")
        let nonce = refused.header("DPoP-Nonce")
        let tokens = try await client.redeem(code, headers: proof("/token", nonce: nonce))
        #expect(tokens["token_type"] == "DPoP")

        let access = try #require(tokens["access_token"])
        let good = try proof("/api/resource", nonce: nonce, accessToken: access)
        #expect(try await client.resource(access, scheme: "DPoP", headers: good).status == 200)
        #expect(try await client.resource(access, scheme: "DPoP", headers: good).status == 401, "a proof used twice")
        #expect(try await client.resource(access).status == 401, "a bound token as a bearer token")
        let others = try ClientKey().proof(
            "GET", client.address("/api/resource"), at: clock.now, nonce: nonce, accessToken: access)
        #expect(try await client.resource(access, scheme: "DPoP", headers: others).status == 401, "another key")
        let unrelated = try proof("/api/resource", nonce: nonce, accessToken: "another token")
        #expect(try await client.resource(access, scheme: "DPoP", headers: unrelated).status == 401, "another token")
        let stale = try await client.resource(
            access, scheme: "DPoP", headers: proof("/api/resource", accessToken: access))
        #expect(stale.header("WWW-Authenticate")?.contains("use_dpop_nonce") == true)

        let refresh = tokens["refresh_token"] ?? ""
        let foreign = try ClientKey().proof("POST", client.address("/token"), at: clock.now, nonce: nonce)
        #expect(try await client.refresh(refresh, headers: foreign).error == "invalid_dpop_proof")
        #expect(try await client.refresh(refresh, headers: proof("/token", nonce: nonce)).status == 200)
    }

    @Test("The nonce before the current one is still taken, an older one is not")
    func nonceRotation() async throws {
        let first = server.dpopNonce
        clock.advance(by: .seconds(300))
        let second = server.dpopNonce
        #expect(first != second)
        #expect(try await redeem(nonce: first).status == 200)
        clock.advance(by: .seconds(300))
        #expect(try await redeem(nonce: first).error == "use_dpop_nonce")
    }

    @Test(
        "A proof for another request or another time is refused (section 4.3)",
        arguments: [("GET", "/token", 0), ("POST", "/elsewhere", 0), ("POST", "/token", -3600)])
    func wrongProof(method: String, path: String, age: Int) async throws {
        let headers = try key.proof(method, client.address(path), at: clock.now + Double(age), nonce: server.dpopNonce)
        #expect(try await client.redeem(client.code(), headers: headers).error == "invalid_dpop_proof")
    }

    @Test("A proof with a pushed request is checked, and binds the code to its key (section 10.1)")
    func pushedRequest() async throws {
        let nonce = server.dpopNonce
        let misplaced = try await push(proof("/token", nonce: nonce))
        #expect(misplaced.status == 400 && misplaced.error == "invalid_dpop_proof")
        #expect(try await push(proof("/par")).error == "use_dpop_nonce")
        let others = PublicJWK(ClientKey().publicJWK)?.thumbprint
        #expect(try await push(proof("/par", nonce: nonce), ["dpop_jkt": others]).error == "invalid_dpop_proof")

        let pushed = try await push(proof("/par", nonce: nonce))
        #expect(pushed.status == 201)
        let query = LocalRequest.encodeForm([("client_id", "swift-app"), ("request_uri", pushed["request_uri"] ?? "")])
        let code = try await client.login.signIn(at: client.address("/authorize?" + query)).parameter("code") ?? ""
        let foreign = try ClientKey().proof("POST", client.address("/token"), at: clock.now, nonce: nonce)
        #expect(try await client.redeem(code, headers: foreign).error == "invalid_grant")
    }

    private func push(
        _ headers: [String: String], _ changes: [String: String?] = [:]
    ) async throws -> PlainOpenIDClient.Answer {
        try await client.post("/par", client.request(changes), headers: headers)
    }

    private func redeem(nonce: String) async throws -> PlainOpenIDClient.Answer {
        try await client.redeem(client.code(), headers: proof("/token", nonce: nonce))
    }

    private func proof(_ path: String, nonce: String? = nil, accessToken: String? = nil) throws -> [String: String] {
        try key.proof(
            ["/token", "/par"].contains(path) ? "POST" : "GET", client.address(path), at: clock.now, nonce: nonce,
            accessToken: accessToken)
    }
}
