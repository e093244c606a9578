import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing

@testable import IdentityOAuth

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Proof of possession (RFC 9449)")
struct DPoPProverTests {
    private let clock = ManualClock()

    private func makeProver() throws -> DPoPProver {
        DPoPProver(key: try SigningKey(.es256), time: clock.timeSource)
    }

    private func proof(_ prover: DPoPProver, _ request: URLRequest, accessToken: Secret? = nil) throws -> JSONWebToken {
        var request = request
        try prover.prove(&request, accessToken: accessToken)
        return try JSONWebToken(Secret(try #require(request.value(forHTTPHeaderField: "DPoP"))))
    }

    @Test("RFC 9449 sections 4.1, 6.1 and 7.1: the published proof, thumbprint and token hash")
    func publishedVectors() throws {
        let proof = try JSONWebToken(Secret(PublishedVectors.rfc9449Proof))
        let key = try JSONWebKey(members: try #require(proof.header["jwk"]?.objectValue))
        try SignatureVerifier().verify(proof.message, with: JSONWebKeySet([key]))
        #expect(key.thumbprint == PublishedVectors.rfc9449Thumbprint)
        #expect(
            DPoPProver.hash(of: Secret(PublishedVectors.rfc9449AccessToken)) == PublishedVectors.rfc9449AccessTokenHash)
    }

    @Test("RFC 9449 section 4.2: header and claims of a proof", .guards("sender-constrained tokens", "counterfeit API"))
    func contents() throws {
        let prover = try makeProver()
        var request = URLRequest(url: try .known("HTTPS://ID.Example:443/token?a=1#b"))
        request.httpMethod = "POST"
        let proof = try proof(prover, request)
        #expect(proof.type == "dpop+jwt")
        #expect(proof.algorithm == "ES256")
        #expect(proof.header["jwk"]?.objectValue?.keys.sorted() == ["crv", "kty", "x", "y"])
        #expect(proof.claims["htm"] == "POST")
        #expect(proof.claims["htu"] == "https://id.example/token")
        #expect(proof.issuedAt == clock.now)
        #expect(proof.claims["ath"] == nil)
        #expect(proof.claims["nonce"] == nil)
        try SignatureVerifier().verify(proof.message, with: JSONWebKeySet([prover.key.publicKey]))
        let again = try self.proof(prover, request)
        #expect(again.claims["jti"] != proof.claims["jti"])
        #expect((proof.claims["jti"]?.stringValue ?? "").utf8.count >= 16)
    }

    @Test("RFC 9449 section 7.1: with a token come its hash and the DPoP scheme")
    func accessToken() throws {
        let prover = try makeProver()
        var request = URLRequest(url: try .known("https://api.example"))
        try prover.prove(&request, accessToken: Secret(PublishedVectors.rfc9449AccessToken))
        #expect(
            request.value(forHTTPHeaderField: "Authorization") == "DPoP \(PublishedVectors.rfc9449AccessToken)")
        let proof = try JSONWebToken(Secret(try #require(request.value(forHTTPHeaderField: "DPoP"))))
        #expect(proof.claims["ath"] == .string(PublishedVectors.rfc9449AccessTokenHash))
        #expect(proof.claims["htu"] == "https://api.example/")
    }

    @Test("RFC 9449 section 8.2: the newest nonce of a server is used for that server alone")
    func nonces() throws {
        let prover = try makeProver()
        func learn(_ nonce: String, url: String) throws {
            prover.learn(from: try httpResponse("", headers: ["DPoP-Nonce": nonce], url: url).1)
        }
        func nonce(for url: String) throws -> JSONValue? {
            try proof(prover, URLRequest(url: .known(url))).claims["nonce"]
        }
        try learn("first", url: "https://id.example/token")
        try learn("second", url: "https://ID.example:443/userinfo")
        #expect(try nonce(for: "https://id.example/other") == "second")
        #expect(try nonce(for: "https://api.example/") == nil)
        #expect(try nonce(for: "https://id.example:8443/") == nil)
        try learn("not a nonce", url: "https://id.example/token")
        #expect(try nonce(for: "https://id.example/") == "second")
    }

    @Test("RFC 9449 section 11.1: a wrong clock is made up for by that of the server that refused the proof")
    func clockOffset() throws {
        let prover = try makeProver()
        clock.advance(by: .seconds(784_111_777 - clock.now.timeIntervalSince1970 - 7200))
        func issuedAt() throws -> Date? { try proof(prover, URLRequest(url: .known("https://id.example/me"))).issuedAt }
        func learn(_ challenge: String, status: Int = 401) throws {
            prover.learn(
                from: try httpResponse(
                    "", status: status,
                    headers: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "WWW-Authenticate": challenge]
                ).1)
        }
        for (challenge, status) in [
            ("", 200), ("Bearer", 401), (#"DPoP error="invalid_token""#, 401), (#"DPoP error="use_dpop_nonce""#, 401),
            (#"Bearer error="invalid_dpop_proof""#, 401),
        ] {
            try learn(challenge, status: status)
            #expect(try issuedAt() == clock.now)
        }
        try learn(#"DPoP error="invalid_dpop_proof""#)
        #expect(try abs((issuedAt() ?? .distantPast).timeIntervalSince1970 - 784_111_777) <= 1)
    }

    @Test("A proof of the server's own time that is refused as well is not made by that clock again")
    func uselessDate() async throws {
        let server = RefusingServer("invalid_dpop_proof", date: clock.now + 3600)
        let prover = try makeProver()
        let url = try URL.known("https://id.example/token")
        let request = try TokenRequest(
            .refreshToken("r"), tokenEndpoint: url, client: OAuthClient(id: "app"), dpop: prover)
        await #expect(throws: OAuthError.self) { try await request.send(using: server) }
        #expect(await server.requests == 2)
        #expect(try proof(prover, URLRequest(url: url)).issuedAt == clock.now)
    }

    /// Refuses every proof without its nonce, as RFC 9449 section 8 describes.
    private actor StrictServer: HTTPTransport {
        private(set) var proofs: [JSONWebToken] = []
        private let isStubborn: Bool

        init(isStubborn: Bool = false) { self.isStubborn = isStubborn }

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            let proof = try JSONWebToken(Secret(request.value(forHTTPHeaderField: "DPoP") ?? ""))
            proofs.append(proof)
            if isStubborn || proof.claims["nonce"] != "wanted" {
                return try httpResponse(
                    #"{"error":"use_dpop_nonce"}"#, status: 400, headers: ["DPoP-Nonce": "wanted"])
            }
            return try httpResponse(#"{"access_token":"a","token_type":"dpop"}"#)
        }
    }

    private func send(to server: StrictServer, dpop: DPoPProver?) async throws -> TokenEndpointResponse {
        try await TokenRequest(
            .refreshToken("r"), tokenEndpoint: .known("https://id.example/token"), client: OAuthClient(id: "app"),
            dpop: dpop
        ).send(using: server)
    }

    @Test("RFC 9449 section 8: a request refused for its nonce is sent once more, with it and with a new proof")
    func nonceRetry() async throws {
        let (server, prover) = (StrictServer(), try makeProver())
        #expect(try await send(to: server, dpop: prover).tokenType == .dpop)
        #expect(Set(await server.proofs.compactMap { $0.claims["jti"] }).count == 2)
        #expect(try await send(to: server, dpop: prover).tokenType == .dpop)
        #expect(await server.proofs.count == 3)
    }

    @Test("RFC 9449 section 8: and not more than once")
    func stubbornServer() async throws {
        let server = StrictServer(isStubborn: true)
        let prover = try makeProver()
        let failure = await #expect(throws: OAuthError.self) { try await send(to: server, dpop: prover) }
        #expect(failure?.failureCode == "use_dpop_nonce")
        #expect(await server.proofs.count == 2)
    }

    /// Refuses every request with an error and a time.
    private actor RefusingServer: HTTPTransport {
        private(set) var requests = 0
        private let error: String
        private let status: Int
        private let date: Date

        init(_ error: String, status: Int = 400, date: Date) {
            self.error = error
            self.status = status
            self.date = date
        }

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            requests += 1
            return try httpResponse(
                #"{"error":"\#(error)"}"#, status: status, headers: ["Date": HTTPDateText.format(date)])
        }
    }

    @Test("A proof refused for its time is sent once more, where the response says that the time was wrong")
    func clockRetry() async throws {
        func requests(_ error: String, status: Int = 400, ahead: TimeInterval) async throws -> Int {
            let server = RefusingServer(error, status: status, date: clock.now + ahead)
            let request = try TokenRequest(
                .refreshToken("r"), tokenEndpoint: .known("https://id.example/token"), client: OAuthClient(id: "app"),
                dpop: makeProver())
            await #expect(throws: OAuthError.self) { try await request.send(using: server) }
            return await server.requests
        }
        for ahead in [3600.0, -3600] {
            #expect(try await requests("invalid_dpop_proof", ahead: ahead) == 2)
            // Whatever else was refused may have spent the refresh token.
            #expect(try await requests("invalid_grant", ahead: ahead) == 1)
            #expect(try await requests("invalid_request", ahead: ahead) == 1)
            #expect(try await requests("invalid_client", ahead: ahead) == 1)
            #expect(try await requests("invalid_dpop_proof", status: 500, ahead: ahead) == 1)
        }
        #expect(try await requests("invalid_dpop_proof", ahead: 10) == 1)
    }

    @Test(
        "RFC 9449 section 5: a bound token without a proof is refused, and a bearer token in spite of one is taken",
        .guards("sender-constrained tokens"))
    func tokenTypes() throws {
        let (data, response) = try httpResponse(#"{"access_token":"a","token_type":"DPoP"}"#)
        expectFailure("answer_unsupported_token_type") {
            try TokenEndpointResponse(data, response, for: .refreshToken("r"))
        }
        let (bearerData, bearerResponse) = try httpResponse(#"{"access_token":"a","token_type":"Bearer"}"#)
        let bearer = try TokenEndpointResponse(bearerData, bearerResponse, for: .refreshToken("r"), isBound: true)
        #expect(bearer.tokenType == .bearer)
    }

    @Test("RFC 9449 section 10: the authorization request names the key")
    func authorizationRequest() throws {
        let prover = try makeProver()
        var request = try AuthorizationRequest(
            client: OAuthClient(id: "app"), authorizationEndpoint: .known("https://id.example/authorize"),
            redirectURI: .known("myapp://callback"), scopes: [])
        request.dpopKeyThumbprint = prover.key.publicKey.thumbprint
        let fields = try #require(FormEncoding.decode(request.url.query ?? ""))
        #expect(fields.only("dpop_jkt") == prover.key.publicKey.thumbprint)
        #expect(fields.only("scope") == nil)
    }
}
