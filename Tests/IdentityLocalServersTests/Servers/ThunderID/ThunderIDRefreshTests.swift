import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID refresh and rotation", .stopsServers)
struct ThunderIDRefreshTests {
    typealias Application = LocalThunderIDServer.Application

    @Test("A refresh rotates the token and keeps the family, the attributes and the first expiry")
    func refresh() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.signIn()
        _ = try await visitor.post(
            "/users/me", json: ["attributes": ["username": "ada", "email": "new@example.org"]],
            headers: ["Authorization": "Bearer \(first["access_token"]?.stringValue ?? "")"], method: "PUT")
        visitor.clock.advance(by: .seconds(7200))
        let second = try await visitor.refresh(first["refresh_token"])
        #expect(second.status == 200)
        #expect(second["refresh_token"] != first["refresh_token"])
        let (old, new) = (try claims(of: first["refresh_token"]), try claims(of: second["refresh_token"]))
        #expect(new["exp"] == old["exp"])
        #expect(new["tfid"] == old["tfid"])
        #expect(try claims(of: second["access_token"])["email"] == "ada@example.org", "as known at the sign-in")
        let idToken = try claims(of: second["id_token"])
        #expect(idToken["nonce"] == nil)
        #expect(idToken["auth_time"] == nil)
        #expect(visitor.server.counters.refreshes == 1)
    }

    @Test("A spent refresh token that comes again revokes the whole family")
    func replay() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.signIn()
        let second = try await visitor.refresh(first["refresh_token"])
        let replay = try await visitor.refresh(first["refresh_token"])
        #expect(replay.status == 400)
        #expect(replay.json == ["error": "invalid_grant", "error_description": "Invalid refresh token"])
        #expect(try await visitor.refresh(second["refresh_token"])["error"] == "invalid_grant")
        for tokens in [first, second] {
            let bearer = tokens["access_token"]?.stringValue
            #expect(try await visitor.get("/oauth2/userinfo", bearer: bearer).status == 401)
            #expect(try await visitor.get("/api/resource", bearer: bearer).status == 401)
        }
        #expect(visitor.server.counters.replays == 1)
        #expect(visitor.server.counters.familiesRevoked == 1)
    }

    @Test("Without family revocation a replay fails alone")
    func replayWithoutRevocation() async throws {
        let visitor = try await ThunderIDVisitor.start(.init(revokesFamilyOnReplay: false))
        let first = try await visitor.signIn()
        let second = try await visitor.refresh(first["refresh_token"])
        #expect(try await visitor.refresh(first["refresh_token"])["error"] == "invalid_grant")
        #expect(try await visitor.refresh(second["refresh_token"]).status == 200)
    }

    @Test("Of refreshes at the same moment one wins, and the others are replays")
    func concurrentRefreshes() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let refreshToken = try await visitor.signIn()["refresh_token"]
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 { group.addTask { try await visitor.refresh(refreshToken).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200, 400, 400, 400])
        #expect(visitor.server.counters.refreshes == 1)
        #expect(visitor.server.counters.familiesRevoked == 1)
    }

    @Test("A session ends a day after the sign-in, however often it was refreshed")
    func absoluteExpiry() async throws {
        let visitor = try await ThunderIDVisitor.start()
        var tokens = try await visitor.signIn()
        for _ in 0..<3 {
            visitor.clock.advance(by: .seconds(28_800))
            tokens = try await visitor.refresh(tokens["refresh_token"])
            #expect(tokens.status == 200)
        }
        // The server takes a token for another half minute.
        visitor.clock.advance(by: .seconds(31))
        #expect(try await visitor.refresh(tokens["refresh_token"])["error"] == "invalid_grant")
    }

    @Test("Scopes can be narrowed, and then stay narrow")
    func scopes() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.signIn(scope: "openid email")
        let widened = try await visitor.refresh(first["refresh_token"], scope: "openid profile")
        #expect(widened["error"] == "invalid_scope")
        let narrowed = try await visitor.refresh(first["refresh_token"], scope: "email")
        #expect(narrowed["scope"] == "email")
        #expect(narrowed["id_token"] == nil)
        #expect(try await visitor.refresh(narrowed["refresh_token"], scope: "openid")["error"] == "invalid_scope")
    }

    @Test("Without rotation the same refresh token comes back, again and again")
    func withoutRotation() async throws {
        let visitor = try await ThunderIDVisitor.start(.init(rotatesRefreshTokens: false))
        let first = try await visitor.signIn()
        for _ in 0..<2 {
            #expect(try await visitor.refresh(first["refresh_token"])["refresh_token"] == first["refresh_token"])
        }
    }

    @Test("A grace takes a spent token for a while")
    func grace() async throws {
        let visitor = try await ThunderIDVisitor.start(.init(rotationGrace: .seconds(10)))
        let first = try await visitor.signIn()
        _ = try await visitor.refresh(first["refresh_token"])
        visitor.clock.advance(by: .seconds(9))
        #expect(try await visitor.refresh(first["refresh_token"]).status == 200)
        visitor.clock.advance(by: .seconds(1))
        #expect(try await visitor.refresh(first["refresh_token"])["error"] == "invalid_grant")
        #expect(visitor.server.counters.familiesRevoked == 1)
    }

    @Test("A refresh token of another client is refused, and so is any other kind of token")
    func wrongRefreshTokens() async throws {
        let other = Application(id: "another", clientID: "another")
        let visitor = try await ThunderIDVisitor.start(.init(additionalApplications: [other]))
        let tokens = try await visitor.signIn()
        for member in ["access_token", "id_token"] {
            #expect(try await visitor.refresh(tokens[member])["error"] == "invalid_grant")
        }
        let foreign = try await visitor.token([
            ("grant_type", "refresh_token"), ("client_id", "another"),
            ("refresh_token", tokens["refresh_token"]?.stringValue ?? ""),
        ])
        #expect(foreign["error"] == "invalid_grant")
        #expect(try await visitor.refresh(tokens["refresh_token"]).status == 200)
    }

    @Test("A change of password voids the refresh tokens issued so far, and no later ones")
    func changeOfPassword() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let before = try await visitor.signIn()
        let change = try await visitor.post(
            "/users/me/update-credentials", json: ["attributes": ["password": "Another-2"]],
            headers: ["Authorization": "Bearer \(before["access_token"]?.stringValue ?? "")"])
        #expect(change.status == 204)
        #expect(try await visitor.refresh(before["refresh_token"])["error"] == "invalid_grant")
    }

    @Test("An administrator can revoke what a user has")
    func revokeFamiliesOfUser() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let tokens = [try await visitor.signIn(), try await visitor.signIn()]
        visitor.server.revokeFamilies(ofUser: visitor.server.user.id)
        for tokens in tokens {
            #expect(try await visitor.refresh(tokens["refresh_token"])["error"] == "invalid_grant")
        }
        #expect(visitor.server.counters.familiesRevoked == 2)
    }
}
