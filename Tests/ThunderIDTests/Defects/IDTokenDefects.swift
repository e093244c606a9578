import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing
import ThunderID

@testable import IdentityOAuth

/// What the official client does wrong with ID tokens and keys, and this one does right.
@Suite struct IDTokenDefects {
    /// Signs in at a server that hands out this ID token, whose `nonce` is that of the sign-in.
    private func signIn(
        _ algorithm: SigningAlgorithm = .es256, keyID: String? = "k1", published: Bool = true,
        changing change: @escaping @Sendable (inout [String: JSONValue]) -> Void = { _ in }
    ) async throws -> (error: IAMError?, keyRequests: Int) {
        let issuer = ForgingIssuer(algorithm: algorithm, keyID: keyID, isPublished: published, change: change)
        let http = try await issuer.start()
        let client = ThunderIDClient(environment: IdentityEnvironment(store: MemoryTokenStore()))
        try await client.initialize(
            config: ThunderIDConfig(
                baseUrl: http.url.absoluteString, clientId: "app", afterSignInUrl: "app://callback",
                allowsLoopbackHTTP: true))
        let parameters = try CallbackURL(client.buildSignInURL())
        issuer.nonce.withLock { $0 = parameters["nonce"] }
        let callback = try #require(
            URL(string: "app://callback?code=c&state=\(parameters["state"] ?? "")&iss=https%3A%2F%2Fid.example.com%2F"))
        let failure: IAMError?
        do {
            try await client.handleRedirectCallback(url: callback)
            failure = nil
        } catch {
            failure = try #require(error as? IAMError)
        }
        await http.stop()
        return (failure, http.log.count { $0.path == "/keys" })
    }

    @Test(
        "Defect 8: the issuer is the discovered one, to the byte, also with a slash at its end",
        .guards("issuer and subject"))
    func issuer() async throws {
        #expect(try await signIn().error == nil)
        let stripped = try await signIn { $0["iss"] = "https://id.example.com" }
        #expect(stripped.error?.code == .invalidGrant)
        let fixture = try await ClientFixture(configuration: .init(issuer: "https://id.example.com/"))
        #expect(try await fixture.signInByRedirect().sub == fixture.server.user.id)
        await fixture.server.stop()
    }

    @Test("Defect 9: expiry, audience, authorized party, dates and signature are all checked")
    func claims() async throws {
        let future = JSONValue.integer(Int64(Date().timeIntervalSince1970) + 3600)
        let changes: [@Sendable (inout [String: JSONValue]) -> Void] = [
            { $0["exp"] = nil }, { $0["exp"] = 1 }, { $0["aud"] = nil }, { $0["aud"] = "another" },
            { $0["aud"] = ["app", "another"] }, { $0["azp"] = "another" }, { $0["iat"] = nil }, { $0["iat"] = future },
            { $0["nbf"] = future }, { $0["sub"] = nil }, { $0["nonce"] = nil },
        ]
        for change in changes {
            #expect(try await signIn(changing: change).error?.code == .invalidGrant)
        }
        #expect(try await signIn(published: false).error != nil)
        let late = try await signIn { claims in
            // A clock that is off by less than the server's own leeway.
            claims["exp"] = .integer(Int64(Date().timeIntervalSince1970) - 20)
            claims["iat"] = .integer(Int64(Date().timeIntervalSince1970) - 3620)
        }
        #expect(late.error == nil)
    }

    @Test(
        "Defect 10: tokens signed with elliptic curves and with Ed25519 verify",
        arguments: [
            SigningAlgorithm.es256, .es384, .es512, .edDSA,
        ])
    func algorithms(algorithm: SigningAlgorithm) async throws {
        #expect(try await signIn(algorithm).error == nil)
    }

    @Test("Defect 11: tokens signed with RSA verify, beside a key of another kind")
    func rsa() async throws {
        let fixture = try await ClientFixture()
        #expect(try await fixture.signInByRedirect().sub == fixture.server.user.id)
        let keys = try #require(fixture.wire.requests(to: "/oauth2/jwks").first?.answeredJSON?["keys"]?.arrayValue)
        #expect(Set(keys.compactMap { $0["kty"]?.stringValue }) == ["RSA", "EC"])
        try fixture.server.rotateSigningKey()
        fixture.clock.advance(by: .seconds(3600))
        _ = try await fixture.client.getAccessToken()
        await fixture.server.stop()
    }

    @Test("Defect 12: a key is chosen by its name, and bad tokens cause no flood of requests for keys")
    func keys() async throws {
        let unnamed = try await signIn(keyID: nil)
        #expect(unnamed.keyRequests <= 2)
        let unknown = try await signIn(published: false)
        #expect(unknown.error != nil && unknown.keyRequests <= 2)
    }
}

/// A server that hands out the ID tokens a test wants.
private struct ForgingIssuer: Sendable {
    let algorithm: SigningAlgorithm
    let keyID: String?
    let isPublished: Bool
    let change: @Sendable (inout [String: JSONValue]) -> Void
    let nonce = Locked<String?>(nil)

    func start() async throws -> LocalHTTPServer {
        let key = try SigningKey(algorithm, keyID: keyID)
        let base = Locked("")
        let http = try await LocalHTTPServer.start { request in
            let base = base.withLock { $0 }
            switch request.path {
            case "/.well-known/openid-configuration":
                return .json([
                    "issuer": "https://id.example.com/", "authorization_endpoint": .string(base + "/authorize"),
                    "token_endpoint": .string(base + "/token"), "jwks_uri": .string(base + "/keys"),
                    "authorization_response_iss_parameter_supported": true,
                ])
            case "/keys":
                let keys: [JSONValue] = isPublished ? [.object(key.publicKey.members)] : []
                return .json(["keys": .array(keys)])
            case "/token":
                let now = Int64(Date().timeIntervalSince1970)
                var claims: [String: JSONValue] = [
                    "iss": "https://id.example.com/", "sub": "ada", "aud": "app", "iat": .integer(now),
                    "exp": .integer(now + 3600), "nonce": nonce.withLock { $0.map(JSONValue.string) } ?? .null,
                ]
                change(&claims)
                let header: [String: JSONValue] = ["typ": "JWT", "kid": keyID.map(JSONValue.string) ?? .null]
                    .filter { $0.value != .null }
                guard let token = try? key.token(header: header, claims: claims) else { return .text("", status: 500) }
                return .json([
                    "access_token": "a", "token_type": "Bearer", "expires_in": 3600,
                    "id_token": .string(token.reveal()),
                ])
                .with(header: "Date", HTTPDateText.format(Date()))
            default:
                return .text("", status: 404)
            }
        }
        base.withLock { $0 = http.url.absoluteString }
        return http
    }
}
