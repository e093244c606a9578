import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID shipped flows", .stopsServers)
struct ThunderIDShippedFlowTests {
    typealias Application = LocalThunderIDServer.Application

    @Test("A registration ends without an assertion, and the new user can sign in")
    func registration() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let taken = try await visitor.register(username: visitor.server.user.username)
        #expect(taken["error"]?["code"] == "FET-1007")
        #expect(taken.identifiers == ["username", "password"])

        let schema = try await visitor.register(username: "grace")
        let done = try await visitor.resume(
            schema, ["action": "action_schema_attrs", "inputs": ["email": "grace@example.org"]])
        #expect(done["flowStatus"] == "COMPLETE")
        #expect(done["assertion"] == nil)

        let prompt = try await visitor.startSignIn()
        let signedIn = try await visitor.resume(
            prompt, ["action": "action_001", "inputs": ["username": "grace", "password": "Navy-1"]])
        #expect(signedIn["assertion"] != nil)
    }

    @Test("Signing up on the way through a sign-in does yield an assertion")
    func signUpWithinSignIn() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let prompt = try await visitor.resume(try await visitor.startSignIn(), ["action": "action_signup"])
        #expect(prompt.actions == ["action_credentials", "action_signin"])
        let schema = try await visitor.resume(
            prompt,
            ["action": "action_credentials", "inputs": ["username": "grace", "password": "Navy-1"]])
        let done = try await visitor.resume(
            schema, ["action": "action_schema_attrs", "inputs": ["email": "grace@example.org"]])
        #expect(done["flowStatus"] == "COMPLETE")
        #expect(try claims(of: done["assertion"])["aud"]?.stringValue == visitor.server.application.id)
    }

    @Test("With several user types the registration asks which")
    func userTypes() async throws {
        let application = Application(userTypes: ["Person", "Customer"])
        let visitor = try await ThunderIDVisitor.start(.init(application: application))
        let first = try await visitor.start("REGISTRATION")
        #expect(first["data"]?["inputs"]?.arrayValue?.first?["options"] == ["Person", "Customer"])
        let second = try await visitor.resume(
            first, ["action": "action_usertype", "inputs": ["userType": "Customer"]])
        #expect(second.identifiers == ["username", "password"])
        let schema = try await visitor.resume(
            second, ["action": "action_credentials", "inputs": ["username": "grace", "password": "Navy-1"]])
        let done = try await visitor.resume(
            schema, ["action": "action_schema_attrs", "inputs": ["email": "grace@example.org"]])
        #expect(done["flowStatus"] == "COMPLETE")
        let prompt = try await visitor.startSignIn()
        let signedIn = try await visitor.resume(
            prompt, ["action": "action_001", "inputs": ["username": "grace", "password": "Navy-1"]])
        let record = try await visitor.get("/users/me", bearer: signedIn["assertion"]?.stringValue)
        #expect(record["type"] == "Customer")
    }

    @Test("A wrong token ends a recovery inside an authorization request, and the right one comes too late")
    func recoveryInAuthorization() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let execution = try #require(try await visitor.authorize().location?.parameter("executionId"))
        let prompt = try await visitor.flow(["executionId": .string(execution)])
        let asked = try await visitor.resume(prompt, ["action": "action_forgot_password"])
        _ = try await visitor.resume(asked, ["action": "action_submit_username", "inputs": ["username": "ada"]])
        let message = try #require(visitor.server.messages.first)
        for (token, code) in [("guess", "FET-1073"), (message.secret.reveal(), "FES-1004")] {
            let answer = try await visitor.flow([
                "executionId": .string(execution), "inputs": ["inviteToken": .string(token)],
            ])
            #expect(answer["error"]?["code"] ?? answer["code"] == .string(code))
        }
    }

    @Test("A recovery shows messages in between, takes the mailed token without a challenge, and sets the password")
    func recovery() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.start("RECOVERY")
        let shown = try await visitor.resume(
            first, ["action": "action_submit_username", "inputs": ["username": "ada"]])
        #expect(shown["flowStatus"] == "INCOMPLETE")
        #expect(shown["data"] == ["additionalData": ["message": "Check Your Email", "emailSent": "true"]])

        let message = try #require(visitor.server.messages.first)
        let wrong = try await visitor.flow([
            "executionId": .string(message.executionID), "inputs": ["inviteToken": "guess"],
        ])
        #expect(wrong["flowStatus"] == "ERROR")
        #expect(wrong["error"]?["code"] == "FET-1073")
        let prompt = try await visitor.flow([
            "executionId": .string(message.executionID),
            "inputs": ["inviteToken": .string(message.secret.reveal())],
        ])
        #expect(prompt.identifiers == ["password"])
        let done = try await visitor.resume(prompt, ["inputs": ["password": "A-new-one-2"]])
        #expect(done["flowStatus"] == "COMPLETE")
        #expect(done["data"]?["additionalData"]?["message"] == "Password Reset Successful")
        #expect(done["assertion"] == nil)

        let signIn = try await visitor.resume(
            try await visitor.startSignIn(),
            ["action": "action_001", "inputs": ["username": "ada", "password": "A-new-one-2"]])
        #expect(signIn["flowStatus"] == "COMPLETE")
    }

    @Test("An unknown user's recovery mails nothing, and the name is asked for again")
    func recoveryOfNobody() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.start("RECOVERY")
        let shown = try await visitor.resume(
            first, ["action": "action_submit_username", "inputs": ["username": "nobody"]])
        #expect(shown["error"]?["code"] == "FET-1001" && shown["flowStatus"] == "INCOMPLETE")
        #expect(shown.identifiers == ["username"] && shown.actions.isEmpty)
        #expect(visitor.server.messages.isEmpty)
        let sent = try await visitor.resume(shown, ["inputs": ["username": "ada"]])
        #expect(sent["data"]?["additionalData"]?["emailSent"] == "true")
    }

    @Test("A verbose schema prompt describes the fields the user type adds")
    func dynamicComponents() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let schema = try await visitor.register(username: "grace", verbose: true)
        #expect(schema.componentIDs.contains("email"))
        #expect(!schema.componentIDs.contains("dynamic_inputs"))
    }

    @Test("A native assertion carries the configured attributes, and lives an hour")
    func nativeAssertion() async throws {
        let application = Application(assertionAttributes: ["email", "given_name"])
        let configuration = LocalThunderIDServer.Configuration(
            application: application, accessTokenLifetime: .seconds(60))
        let visitor = try await ThunderIDVisitor.start(configuration)
        let claims = try claims(of: .string(try await visitor.nativeAssertion()))
        #expect(claims["aud"]?.stringValue == application.id)
        #expect(claims["sub"]?.stringValue == visitor.server.user.id)
        #expect(claims["email"] == "ada@example.org")
        #expect(claims["family_name"] == nil)
        #expect(claims["authorization_request_id"] == nil)
        #expect((claims["exp"]?.integerValue ?? 0) - (claims["iat"]?.integerValue ?? 0) == 3600)
    }
}

extension ThunderIDVisitor {
    /// Sends the credentials of a new user.
    fileprivate func register(username: String, verbose: Bool = false) async throws -> Answer {
        let prompt = try await start("REGISTRATION", verbose: verbose)
        return try await resume(
            prompt,
            [
                "action": "action_credentials",
                "inputs": ["username": .string(username), "password": "Navy-1"],
            ])
    }
}
