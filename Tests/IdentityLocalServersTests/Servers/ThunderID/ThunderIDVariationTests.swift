import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID variations of one server to the next", .stopsServers)
struct ThunderIDVariationTests {
    typealias Configuration = LocalThunderIDServer.Configuration

    // MARK: Pushed requests

    @Test("An application, or the whole server, can insist on pushed requests", arguments: [false, true])
    func pushedRequests(byApplication: Bool) async throws {
        let configuration = Configuration {
            $0.application.requiresPushedRequests = byApplication
            $0.requiresPushedRequests = !byApplication
        }
        let visitor = try await ThunderIDVisitor.start(configuration)
        let discovery = try await visitor.get("/.well-known/oauth-authorization-server")
        #expect((discovery["require_pushed_authorization_requests"] == true) == !byApplication)
        let refused = try #require(try await visitor.authorize().location)
        #expect(refused.parameter("error") == "invalid_request")
        #expect(refused.parameter("state") == "st-1")
        let pushed = try await visitor.post("/oauth2/par", form: visitor.authorizationQuery())
        let page = try await visitor.get(
            "/oauth2/authorize",
            query: [
                ("client_id", visitor.server.application.clientID),
                ("request_uri", pushed["request_uri"]?.stringValue ?? ""),
            ])
        #expect(page.location?.path == "/gate/signin")
    }

    // MARK: Resources

    private static let files = LocalThunderIDServer.ResourceServer(
        identifier: "https://files.example.org", permissions: ["files:read", "files:write"])

    @Test("Permissions are those of the resource that is named, and the token is for it")
    func resource() async throws {
        let visitor = try await ThunderIDVisitor.start(.init { $0.resourceServers = [Self.files] })
        let wanted: [String: String?] = ["scope": "openid files:read", "resource": "https://files.example.org"]
        let tokens = try await visitor.redeem(try await visitor.code(wanted))
        #expect(tokens["scope"] == "openid files:read")
        #expect(try claims(of: tokens["access_token"])["aud"] == "https://files.example.org")
        #expect(try claims(of: tokens["id_token"])["aud"]?.stringValue == visitor.server.application.clientID)
        let refreshed = try await visitor.refresh(tokens["refresh_token"])
        #expect(try claims(of: refreshed["access_token"])["aud"] == "https://files.example.org")
        #expect(
            try await visitor.get("/oauth2/userinfo", bearer: refreshed["access_token"]?.stringValue).status == 200)
    }

    @Test(
        "An unknown resource, one too many and a permission it does not have are told to the client",
        arguments: [
            (["resource": "https://other.example.org"], "invalid_target"),
            (["scope": "openid files:read", "resource": nil], "invalid_target"),
            (["scope": "openid files:delete"], "invalid_scope"),
        ] as [([String: String?], String)])
    func wrongResource(changes: [String: String?], error: String) async throws {
        let visitor = try await ThunderIDVisitor.start(.init { $0.resourceServers = [Self.files] })
        let wanted: [String: String?] = ["resource": "https://files.example.org"]
        let target = try await visitor.authorize(wanted.merging(changes) { $1 }).location
        #expect(target?.parameter("error") == error)
        let twice = try await visitor.get(
            "/oauth2/authorize",
            query: visitor.authorizationQuery(wanted) + [("resource", "https://other.example.org")])
        #expect(twice.location?.parameter("error") == "invalid_target")
    }

    @Test("Without a resource the default one is meant, if there is one")
    func defaultResource() async throws {
        let visitor = try await ThunderIDVisitor.start(
            .init {
                $0.resourceServers = [Self.files]
                $0.defaultResourceServer = Self.files.identifier
            }
        )
        let tokens = try await visitor.redeem(try await visitor.code(["scope": "openid files:write"]))
        #expect(try claims(of: tokens["access_token"])["aud"]?.stringValue == Self.files.identifier)
        let plain = try await visitor.signIn()
        #expect(try claims(of: plain["access_token"])["aud"]?.stringValue == visitor.server.application.clientID)
    }

    // MARK: Keys and addresses

    @Test("With P-256 as the preferred key RSA is the decoy, and still comes first")
    func ellipticKey() async throws {
        let visitor = try await ThunderIDVisitor.start(.init { $0.signingAlgorithm = .es256 })
        let keys = try #require(try await visitor.get("/oauth2/jwks")["keys"]?.arrayValue)
        #expect(keys.map { $0["kty"] } == ["RSA", "EC"])
        let tokens = try await visitor.signIn()
        for member in ["access_token", "id_token", "refresh_token"] {
            let head = try header(of: tokens[member])
            #expect(head["alg"] == "ES256")
            #expect(head["kid"] == keys[1]["kid"])
        }
        #expect(try header(of: .string(try await visitor.nativeAssertion()))["alg"] == "ES256")
        let bearer = tokens["access_token"]?.stringValue
        #expect(try await visitor.get("/oauth2/userinfo", bearer: bearer).status == 200)
        try visitor.server.rotateSigningKey()
        #expect(try await visitor.refresh(tokens["refresh_token"]).status == 200)
    }

    @Test("A server may live below a path")
    func pathPrefix() async throws {
        let visitor = try await ThunderIDVisitor.start(.init { $0.pathPrefix = "/id/tenant" })
        #expect(visitor.server.url.path == "/id/tenant")
        #expect(visitor.server.issuer == visitor.server.url.absoluteString)
        let discovery = try await visitor.get("/.well-known/openid-configuration")
        #expect(discovery["token_endpoint"]?.stringValue == "\(visitor.server.url)/oauth2/token")
        let page = try #require(try await visitor.authorize().location)
        #expect(page.path == "/id/tenant/gate/signin")
        let done = try await visitor.passPassword(at: page)
        let tokens = try await visitor.redeem(try await visitor.code(for: page, done))
        #expect(try claims(of: tokens["id_token"])["iss"]?.stringValue == visitor.server.issuer)
        #expect(try await visitor.get("/../../oauth2/jwks").status == 404)
    }

    // MARK: User info

    @Test("User info can be a signed JWT")
    func signedUserInfo() async throws {
        let visitor = try await ThunderIDVisitor.start(.init { $0.application.signsUserInfo = true })
        let bearer = try await visitor.signIn()["access_token"]?.stringValue
        let answer = try await visitor.get("/oauth2/userinfo", bearer: bearer)
        #expect(answer.status == 200 && answer.header("Content-Type") == "application/jwt")
        let claims = try claims(of: .string(answer.body))
        #expect(claims["sub"]?.stringValue == visitor.server.user.id)
        #expect(claims["aud"]?.stringValue == visitor.server.application.clientID)
        #expect(claims["iss"]?.stringValue == visitor.server.issuer)
        #expect(claims["email"] == "ada@example.org")
    }
}
