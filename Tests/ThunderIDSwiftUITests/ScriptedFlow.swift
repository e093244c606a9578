import Foundation
import IdentityKit
import IdentityLocalServers
import ThunderID
import ThunderIDSwiftUI

/// A server whose flows respond from a list, for steps that no shipped flow has.
@MainActor
struct ScriptedFlow {
    let http: LocalHTTPServer
    let client: ThunderIDClient
    private let heard: Locked<[JSONValue]>

    /// - Parameter texts: what `/flow/meta` says.
    init(_ answers: [JSONValue?], texts: JSONValue = [:], language: String = "en-US") async throws {
        let heard = Locked<[JSONValue]>([])
        let left = Locked(answers)
        self.heard = heard
        http = try await LocalHTTPServer.start { request in
            guard request.path == "/flow/execute" else { return .json(texts) }
            heard.withLock { $0.append(request.json ?? .null) }
            let answer: JSONValue? = left.withLock { $0.isEmpty ? JSONValue?.none : $0.removeFirst() }
            return answer.map { .json($0) } ?? .text("", status: 500)
        }
        client = ThunderIDClient(environment: IdentityEnvironment(store: MemoryTokenStore()))
        try await client.initialize(
            config: ThunderIDConfig(
                baseUrl: http.url.absoluteString, applicationId: "app", language: language, allowsLoopbackHTTP: true))
    }

    /// What the server received, in order.
    var calls: [JSONValue] { heard.withLock { $0 } }

    func flow(_ type: FlowType = .authentication, handlers: SignInHandlers = SignInHandlers()) async -> SignInFlow {
        let flow = SignInFlow(applicationId: "app", type: type)
        await flow.start(with: client, handlers: handlers)
        return flow
    }

    /// A step with these inputs (name and type) and actions.
    static func step(
        _ inputs: [(String, String)] = [], actions: [String] = [], additional: [String: String] = [:],
        redirect: String? = nil, error: String? = nil
    ) -> JSONValue {
        var data: [String: JSONValue] = [
            "inputs": .array(inputs.map { ["identifier": .string($0.0), "type": .string($0.1), "required": true] }),
            "actions": .array(actions.map { ["ref": .string($0)] }),
            "additionalData": .object(additional.mapValues { .string($0) }),
        ]
        data["redirectURL"] = redirect.map { .string($0) }
        var answer: [String: JSONValue] = [
            "executionId": "e", "flowStatus": "INCOMPLETE", "type": redirect == nil ? "VIEW" : "REDIRECTION",
            "challengeToken": "t", "data": .object(data),
        ]
        answer["error"] = error.map { problem($0) }
        return .object(answer)
    }

    static let complete: JSONValue = ["executionId": "e", "flowStatus": "COMPLETE", "data": [:]]

    static func failed(_ code: String) -> JSONValue {
        ["executionId": "e", "flowStatus": "ERROR", "data": [:], "error": problem(code)]
    }

    private static func problem(_ code: String) -> JSONValue {
        [
            "code": .string(code), "message": ["key": "k", "defaultValue": "text"],
            "description": ["key": "d", "defaultValue": "description"],
        ]
    }
}
