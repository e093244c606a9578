import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("InsForge credentials: the shape chooses the verifier, and a failure never falls back", .stopsServers)
struct InsForgeCredentialTests {
    @Test("Sign-up takes the anonymous key, the API key, or a JWT")
    func signUpCredentials() async throws {
        let probe = try await InsForgeProbe.start()
        let accessToken = try await probe.signIn().text("accessToken")
        for (index, bearer) in [probe.server.anonKey, probe.server.apiKey, accessToken].enumerated() {
            let answer = try await probe.send(
                "POST", "/api/auth/users?client_type=mobile",
                ["email": .string("new\(index)@example.org"), "password": "correct horse"], bearer: bearer)
            #expect(answer.status == 200)
        }
    }

    @Test("Sign-up refuses everything else, each shape in its own words")
    func signUpRefusals() async throws {
        let probe = try await InsForgeProbe.start()
        func signUp(_ headers: [String: String]) async throws -> Failure {
            try await probe.send(
                "POST", "/api/auth/users", ["email": "new@example.org", "password": "correct horse"],
                headers: headers
            ).failure
        }
        let expired = try await probe.signIn().text("accessToken")
        probe.clock.advance(by: .seconds(900))

        let noToken = Failure.badCredentials("No token provided")
        #expect(try await signUp([:]) == noToken)
        #expect(try await signUp(["Authorization": "bearer \(probe.server.anonKey)"]) == noToken)
        #expect(try await signUp(["Authorization": "Bearer anon_0"]) == .badCredentials("Invalid anon key"))
        #expect(
            try await signUp(["Authorization": "Bearer ik_0"])
                == Failure(401, "AUTH_INVALID_API_KEY", "Invalid API key"))
        #expect(try await signUp(["Authorization": "Bearer \(expired)"]) == .unauthorized("Invalid token"))
        #expect(
            try await signUp(["Authorization": "Bearer \(probe.server.anonKey)", "x-api-key": "ik_0"])
                == Failure(401, "AUTH_INVALID_API_KEY", "Invalid API key"))
    }

    @Test("The current session takes a JWT alone, and of a user alone")
    func currentSessionCredentials() async throws {
        let probe = try await InsForgeProbe.start()
        let invalid = Failure.unauthorized("Invalid token")
        #expect(try await probe.currentSession(probe.server.anonKey).failure == invalid)
        #expect(try await probe.currentSession(probe.server.apiKey).failure == invalid)

        let admin = try await probe.adminSignIn()
        #expect(
            try await probe.currentSession(admin.text("accessToken")).failure
                == .badCredentials("User not authenticated"))

        let session = try await probe.signIn()
        #expect(try await probe.currentSession(session.text("accessToken")).status == 200)
        // A weakness of the real server, and a reason never to send a refresh token as a bearer.
        #expect(try await probe.currentSession(session.text("refreshToken")).status == 200)
        probe.server.deleteUser(id: probe.server.user.id)
        #expect(
            try await probe.currentSession(session.text("accessToken")).failure
                == .badCredentials("User not found"))
    }

    @Test("Administration takes the API key or an administrator, and tells users from strangers")
    func adminCredentials() async throws {
        let probe = try await InsForgeProbe.start()
        func anonKey(_ bearer: String?) async throws -> LocalAnswer {
            try await probe.send("GET", "/api/metadata/anon-key", bearer: bearer)
        }
        let admin = try await probe.adminSignIn()
        for bearer in [probe.server.apiKey, admin.text("accessToken")] {
            #expect(try await anonKey(bearer).text("anonKey") == probe.server.anonKey)
        }
        #expect(try await anonKey(nil).failure == .badCredentials("No admin token provided"))
        #expect(try await anonKey(probe.server.anonKey).failure == .unauthorized("Invalid token"))
        let user = try await probe.signIn().text("accessToken")
        #expect(try await anonKey(user).failure == Failure(403, "AUTH_UNAUTHORIZED", "Admin access required"))
    }

    @Test("A public route ignores the credential, however bad")
    func publicRoutesIgnoreCredentials() async throws {
        let probe = try await InsForgeProbe.start()
        let answer = try await probe.send("GET", "/api/auth/public-config", bearer: "ik_wrong")
        #expect(answer.status == 200)
    }

    @Test("The demo resource is for users with an access token")
    func demoResource() async throws {
        let probe = try await InsForgeProbe.start()
        func read(_ bearer: String?) async throws -> LocalAnswer {
            try await probe.send("GET", "/api/demo/resource", bearer: bearer)
        }
        let accessToken = try await probe.signIn().text("accessToken")
        #expect(try await read(accessToken).text("subject") == probe.server.user.id)
        #expect(try await read(nil).failure == .badCredentials("No token provided"))
        #expect(try await read(probe.server.anonKey).status == 401)
        probe.clock.advance(by: .seconds(900))
        #expect(try await read(accessToken).failure == .unauthorized("Invalid token"))
    }

    @Test("One server refuses the tokens of another")
    func foreignTokens() async throws {
        let session = try await InsForgeProbe.start().signIn()
        let other = try await InsForgeProbe.start()
        #expect(try await other.currentSession(session.text("accessToken")).status == 401)
        #expect(try await other.refresh(session.text("refreshToken")).status == 401)
    }
}
