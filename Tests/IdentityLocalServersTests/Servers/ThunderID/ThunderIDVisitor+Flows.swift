import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

extension ThunderIDVisitor {
    typealias Configuration = LocalThunderIDServer.Configuration
    typealias SignInFlow = LocalThunderIDServer.SignInFlow

    /// A client of a fresh server with this sign-in flow.
    static func start(signIn: SignInFlow) async throws -> ThunderIDVisitor {
        try await start(.init { $0.signIn = signIn })
    }

    /// Starts a native flow and returns the first answer.
    func start(_ type: String, verbose: Bool = false, headers: [String: String] = [:]) async throws -> Answer {
        try await flow(
            [
                "applicationId": .string(server.application.id), "flowType": .string(type), "verbose": .bool(verbose),
            ], headers: headers)
    }

    /// Starts a native sign-in and gets past the password.
    func passPassword(verbose: Bool = false) async throws -> Answer {
        try await resume(try await startSignIn(verbose: verbose), ["action": "action_001", "inputs": credentials])
    }

    /// Goes on with values.
    func resume(_ answer: Answer, action: String? = nil, inputs: [String: String] = [:]) async throws -> Answer {
        var members: [String: JSONValue] = ["inputs": .object(inputs.mapValues(JSONValue.string))]
        members["action"] = action.map(JSONValue.string)
        return try await resume(answer, members)
    }

    /// Resumes an execution with a token that came out of band, and with nothing else.
    func resume(with message: LocalThunderIDServer.Message, as input: String = "inviteToken") async throws -> Answer {
        try await flow([
            "executionId": .string(message.executionID), "inputs": [input: .string(message.secret.reveal())],
        ])
    }

    /// The newest message.
    func lastMessage() throws -> LocalThunderIDServer.Message { try #require(server.messages.last) }
}

extension ThunderIDVisitor.Answer {
    var flowStatus: String? { self["flowStatus"]?.stringValue }
    var errorCode: String? { self["error"]?["code"]?.stringValue }

    /// A member of `data.additionalData`.
    func additional(_ name: String) -> String? { self["data"]?["additionalData"]?[name]?.stringValue }

    /// The input with this identifier.
    func input(_ identifier: String) -> JSONValue? {
        self["data"]?["inputs"]?.arrayValue?.first { $0["identifier"]?.stringValue == identifier }
    }
}
