import Foundation
import IdentityKit
import Testing

@testable import IdentityTesting
@testable import IdentityLocalServers

@Suite("OpenID Connect server: metadata and keys", .stopsServers)
struct OpenIDServerTests {
    @Test("Both metadata documents name the issuer and lead to endpoints that exist (RFC 8414 section 3)")
    func metadata() async throws {
        let client = try await PlainOpenIDClient.start()
        for path in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] {
            let members = try await client.get(path).json?.objectValue ?? [:]
            #expect(members["issuer"]?.stringValue == client.server.issuer)
            for (name, value) in members where name.hasSuffix("_endpoint") || name == "jwks_uri" {
                let address = value.stringValue ?? ""
                #expect(address.hasPrefix(client.server.url.absoluteString), "\(name)")
                let status = try await client.get(String(address.dropFirst(client.server.url.absoluteString.count)))
                    .status
                #expect(status != 404, "\(name)")
            }
        }
    }

    @Test("An issuer with a path has its metadata where the two specifications put it (RFC 8414 section 3.1)")
    func issuerPath() async throws {
        let client = try await PlainOpenIDClient.start { $0.path = "/realms/one" }
        #expect(client.server.issuer == client.server.url.absoluteString + "/realms/one")
        let statuses = try await [
            "/realms/one/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/realms/one",
            "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
            "/realms/one/.well-known/oauth-authorization-server",
        ].asyncMap { try await client.get($0).status }
        #expect(statuses == [200, 200, 404, 404, 404])
        #expect(try await client.tokens().status == 200)
        #expect(client.server.resource.absoluteString == client.server.issuer + "/api/notes")
        #expect(try await client.get("/realms/one/api/notes").status == 401)
    }

    @Test("After a rotation earlier tokens verify, until their key is withdrawn (OpenID Connect Core 10.1.1)")
    func rotation() async throws {
        let client = try await PlainOpenIDClient.start()
        let old = try #require(try await client.tokens()["id_token"].flatMap(SignedMessage.init))
        func verifies(_ token: SignedMessage) async throws -> Bool {
            let keys = try await client.get("/jwks").json?["keys"]?.arrayValue ?? []
            return keys.filter { $0["kid"] == token.header["kid"] }.compactMap(PublicJWK.init)
                .contains(where: token.isSigned)
        }
        try client.server.rotateSigningKey()
        let new = try #require(try await client.tokens()["id_token"].flatMap(SignedMessage.init))
        #expect(new.header["kid"] != old.header["kid"])
        #expect(try await verifies(old))
        #expect(try await verifies(new))
        try client.server.rotateSigningKey(withdrawing: true)
        #expect(try await !verifies(old))
    }

    @Test("A key that was rotated just before signing is in the set afterwards")
    func rotationBeforeSigning() async throws {
        let client = try await PlainOpenIDClient.start()
        client.server.vary(.rotatesBeforeSigning)
        let before = try await client.get("/jwks").json?["keys"]?.arrayValue ?? []
        let token = try #require(try await client.tokens()["id_token"].flatMap(SignedMessage.init))
        let after = try await client.get("/jwks").json?["keys"]?.arrayValue ?? []
        #expect(!before.contains { $0["kid"] == token.header["kid"] })
        #expect(after.contains { $0["kid"] == token.header["kid"] })
    }

    @Test("Signed user info is a JWT for the client (OpenID Connect Core 5.3.2)")
    func signedUserInfo() async throws {
        let client = try await PlainOpenIDClient.start { $0.signsUserInfo = true }
        let access = try await client.tokens()["access_token"] ?? ""
        let answer = try await client.get("/userinfo", headers: ["Authorization": "Bearer \(access)"])
        #expect(answer.header("Content-Type") == "application/jwt")
        let token = try #require(SignedMessage(answer.text))
        #expect(token.claims["aud"] == "swift-app")
        #expect(token.claims["iss"]?.stringValue == client.server.issuer)
        #expect(token.claims["sub"]?.stringValue == client.server.user.id)
    }

    @Test("User info needs a token with openid (RFC 6750 section 3.1)")
    func userInfoRefusals() async throws {
        let client = try await PlainOpenIDClient.start()
        let bare = try await client.get("/userinfo")
        #expect(bare.status == 401 && bare.header("WWW-Authenticate") == "Bearer")
        let access = try await client.tokens(["scope": "read"])["access_token"] ?? ""
        let poor = try await client.get("/userinfo", headers: ["Authorization": "Bearer \(access)"])
        #expect(poor.status == 403 && poor.error == "insufficient_scope")
    }

    @Test("A registration is changed with the client's own secret or with none (RFC 7592 section 2.2)")
    func changedRegistration() async throws {
        let client = try await PlainOpenIDClient.start { $0.allowsRegistration = true }
        let metadata: [String: JSONValue] = ["redirect_uris": ["com.example.app:/callback"]]
        var registered = try await client.send("POST", "/register", json: .object(metadata))
        let (id, secret) = (registered["client_id"] ?? "", registered["client_secret"] ?? "")
        for (members, status) in [
            (["client_secret": "another"], 400),
            (["client_secret": .string(secret), "client_secret_expires_at": 0], 400),
            (["client_secret": .string(secret)], 200), ([:], 200),
        ] as [([String: JSONValue], Int)] {
            let header = ["Authorization": "Bearer " + (registered["registration_access_token"] ?? "")]
            let changes = metadata.merging(["client_id": .string(id)]) { $1 }.merging(members) { $1 }
            let answer = try await client.send(
                "PUT", "/register?client_id=" + id, nil, header, json: .object(changes))
            #expect(answer.status == status, "\(members.keys.sorted())")
            if status == 200 { registered = answer } else { #expect(answer.error == "invalid_request") }
        }
        #expect(registered["client_secret"] == secret)
    }

    @Test("The Date header has the form of RFC 9110 section 5.6.7")
    func dateHeader() {
        #expect(HTTPDateText.format(Date(timeIntervalSince1970: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test("An endless answer ends when the client leaves")
    func endlessAnswer() async throws {
        let client = try await PlainOpenIDClient.start()
        client.server.misbehave(.endlessTokenAnswer)
        await #expect(throws: TransportError.self) { try await client.tokens() }
        client.server.behave()
        #expect(try await client.tokens().status == 200)
    }
}
