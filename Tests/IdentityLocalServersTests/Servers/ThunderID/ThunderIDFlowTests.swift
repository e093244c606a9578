import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID flow execution", .stopsServers)
struct ThunderIDFlowTests {
    // MARK: Challenge token

    @Test("Every answer that goes on brings a new challenge token and voids the old one")
    func challengeTokenRotates() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.startSignIn()
        let call: [String: JSONValue] = ["executionId": first["executionId"] ?? .null]
        let second = try await visitor.flow(
            .object(call.merging(["challengeToken": first["challengeToken"] ?? .null]) { $1 }))
        #expect(second["flowStatus"] == "INCOMPLETE")
        #expect(second["challengeToken"] != first["challengeToken"])
        #expect(second["challengeToken"]?.stringValue?.count == 64)
        let stale = try await visitor.flow(
            .object(call.merging(["challengeToken": first["challengeToken"] ?? .null]) { $1 }))
        #expect(stale["error"]?["code"] == "ICS-1002")
    }

    // MARK: Prompt

    @Test("Inputs without an action are kept, and all actions are offered again")
    func inputsAccumulate() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.startSignIn()
        let second = try await visitor.resume(first, ["inputs": ["username": "ada"]])
        #expect(second.identifiers == ["password"])
        #expect(second.actions == ["action_001", "action_forgot_password", "action_signup"])
        let third = try await visitor.resume(
            second, ["inputs": ["password": .string(visitor.server.user.password.reveal())]])
        #expect(third["data"]?["inputs"] == nil)
        #expect(third.actions.count == 3)
        #expect(try await visitor.resume(third, ["action": "action_001"])["flowStatus"] == "COMPLETE")
    }

    @Test("A chosen action is remembered: only its missing inputs are asked, and no actions")
    func chosenActionIsRemembered() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.startSignIn(verbose: true)
        let second = try await visitor.resume(first, ["action": "action_001", "inputs": ["username": "ada"]])
        #expect(second.identifiers == ["password"])
        #expect(second["data"]?["actions"] == nil)
        #expect(second.componentIDs.contains("input_002"))
        #expect(!second.componentIDs.contains("input_001"), "a field that is not asked for is not described")
        #expect(try await visitor.resume(second, ["inputs": visitor.credentials])["flowStatus"] == "COMPLETE")
    }

    @Test("After a failure all of the prompt's values must be sent again")
    func failureForgetsInputs() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.startSignIn()
        let second = try await visitor.resume(
            first, ["action": "action_001", "inputs": ["username": "ada", "password": "wrong"]])
        #expect(second["error"]?["code"] == "FET-1005")
        let third = try await visitor.resume(
            second, ["action": "action_001", "inputs": ["password": visitor.credentials["password"] ?? .null]])
        #expect(third.identifiers == ["username"])
    }

    @Test("An unknown action counts as none")
    func unknownAction() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.startSignIn()
        let second = try await visitor.resume(first, ["action": "nonsense", "inputs": visitor.credentials])
        #expect(second["flowStatus"] == "INCOMPLETE")
        #expect(second.actions.count == 3)
    }

    @Test("Values are trimmed and lose their control characters", arguments: ["  ada\n", "a\u{7}da", "\tada "])
    func valuesAreSanitized(username: String) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.startSignIn()
        let inputs: JSONValue = [
            "username": .string(username), "password": visitor.credentials["password"] ?? .null,
        ]
        let second = try await visitor.resume(first, ["action": "action_001", "inputs": inputs])
        #expect(second["flowStatus"] == "COMPLETE")
    }

    @Test("A user who is unknown or not active is not found", arguments: [false, true])
    func unknownUser(exists: Bool) async throws {
        let visitor = try await ThunderIDVisitor.start()
        visitor.server.deactivateUser(id: visitor.server.user.id)
        let first = try await visitor.startSignIn()
        let inputs = exists ? visitor.credentials : ["username": "nobody", "password": "x"]
        let second = try await visitor.resume(first, ["action": "action_001", "inputs": inputs])
        #expect(second["flowStatus"] == "INCOMPLETE")
        #expect(second["error"]?["code"] == "FET-1001")
        #expect(second.identifiers == ["username", "password"])
    }

    // MARK: Lifetime

    @Test("A completed execution is gone")
    func completionDeletes() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.startSignIn()
        let call = ["action": "action_001", "inputs": visitor.credentials] as [String: JSONValue]
        #expect(try await visitor.resume(first, call)["flowStatus"] == "COMPLETE")
        let again = try await visitor.resume(first, call)
        #expect(again.status == 400 && again["code"] == "FES-1004")
    }

    @Test("An execution lives an hour from its creation, however busy it is")
    func absoluteLifetime() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.startSignIn()
        visitor.clock.advance(by: .seconds(3599))
        let second = try await visitor.resume(first, [:])
        #expect(second["flowStatus"] == "INCOMPLETE")
        visitor.clock.advance(by: .seconds(1))
        #expect(try await visitor.resume(second, [:])["code"] == "FES-1004")
    }
}
