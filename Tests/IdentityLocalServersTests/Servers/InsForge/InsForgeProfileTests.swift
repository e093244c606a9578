import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("InsForge profiles", .stopsServers)
struct InsForgeProfileTests {
    @Test("Members are merged at the top level, replaced below it, and kept when null")
    func merge() async throws {
        let probe = try await InsForgeProbe.start()
        let bearer = try await probe.signIn().text("accessToken")
        func update(_ profile: JSONValue) async throws -> LocalAnswer {
            try await probe.send("PATCH", "/api/auth/profiles/current", ["profile": profile], bearer: bearer)
        }
        _ = try await update(["theme": ["dark": true, "size": 2], "bio": "x", "color": "red"])
        let answer = try await update(["theme": ["dark": false], "bio": nil, "name": 5])
        let expected: JSONValue = ["name": 5, "theme": ["dark": false], "bio": nil, "color": "red"]
        #expect(answer.json == ["id": .string(probe.server.user.id), "profile": expected])
        // Every caller may read it.
        #expect(try await probe.send("GET", "/api/auth/profiles/\(probe.server.user.id)").json == answer.json)
    }

    @Test("The profile must be wrapped, and the caller a user")
    func refusals() async throws {
        let probe = try await InsForgeProbe.start()
        let bearer = try await probe.signIn().text("accessToken")
        func update(_ body: JSONValue, bearer: String?) async throws -> Failure {
            try await probe.send("PATCH", "/api/auth/profiles/current", body, bearer: bearer).failure
        }
        #expect(try await update(["bio": "x"], bearer: bearer) == .invalid("profile: Required"))
        #expect(
            try await update(["profile": "x"], bearer: bearer)
                == .invalid("profile: Expected object, received string"))
        #expect(try await update([:], bearer: nil) == .badCredentials("No token provided"))
        let admin = try await probe.adminSignIn()
        #expect(try await update(["profile": [:]], bearer: admin.text("accessToken")).status == 500)
        probe.server.deleteUser(id: probe.server.user.id)
        #expect(
            try await update(["profile": [:]], bearer: bearer)
                == Failure(404, "AUTH_USER_NOT_FOUND", "User not found"))
    }

    @Test("A profile is found by its user's UUID")
    func reading() async throws {
        let probe = try await InsForgeProbe.start()
        let malformed = try await probe.send("GET", "/api/auth/profiles/somebody")
        #expect(malformed.failure == .invalid("Invalid user ID format"))
        let unknown = try await probe.send("GET", "/api/auth/profiles/00000000-0000-4000-8000-000000000000")
        #expect(unknown.failure == Failure(404, "AUTH_USER_NOT_FOUND", "User not found"))
    }
}
