import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing
import ThunderID

/// A server whose flows respond from a list, for steps that no shipped flow has, and a client of it.
struct ScriptedFlowServer: Sendable {
    let http: LocalHTTPServer
    let clock = ManualClock()
    let client: ThunderIDClient
    private let heard: Locked<[JSONValue]>

    /// Starts a server.
    /// - Parameters:
    ///   - steps: the responses of `POST /flow/execute`, in order.
    ///   - texts: the response of `GET /flow/meta`.
    init(_ steps: [JSONValue], texts: JSONValue = [:], adjust: (inout ThunderIDConfig) -> Void = { _ in }) async throws
    {
        let heard = Locked<[JSONValue]>([])
        let left = Locked(steps)
        self.heard = heard
        http = try await LocalHTTPServer.start { request in
            switch request.path {
            case "/flow/execute":
                heard.withLock { $0.append(request.json ?? .null) }
                let step: JSONValue? = left.withLock { $0.isEmpty ? Optional.none : $0.removeFirst() }
                return step.map { .json($0) } ?? .text("", status: 500)
            case "/flow/meta":
                return .json(texts)
            default:
                return .text("", status: 404)
            }
        }
        client = ThunderIDClient(environment: IdentityEnvironment(store: MemoryTokenStore(), time: clock.dates))
        var config = ThunderIDConfig(
            baseUrl: http.url.absoluteString, applicationId: "app", language: "en-US", allowsLoopbackHTTP: true)
        adjust(&config)
        try await client.initialize(config: config)
    }

    /// What the flow received, in order.
    var calls: [JSONValue] { heard.withLock { $0 } }

    /// Submits a payload, or starts.
    func submit(
        _ payload: EmbeddedSignInPayload = EmbeddedSignInPayload(), _ type: FlowType = .authentication
    ) async throws -> EmbeddedFlowResponse {
        try await client.signIn(payload: payload, request: .init(applicationId: "app", flowType: type))
    }

    func stop() async { await http.stop() }

    // MARK: Responses

    /// A step with a view.
    static func step(
        _ data: JSONValue, token: String = "t1", error: JSONValue? = nil, type: String = "VIEW"
    ) -> JSONValue {
        var answer: JSONValue = [
            "executionId": "e", "flowStatus": "INCOMPLETE", "type": .string(type), "challengeToken": .string(token),
            "data": data,
        ]
        guard var members = answer.objectValue else { return answer }
        members["error"] = error
        answer = .object(members)
        return answer
    }

    /// A step that asks for inputs of these names and types, with one action.
    static func asks(_ inputs: [(String, String)], token: String = "t1", additional: JSONValue? = nil) -> JSONValue {
        var data: [String: JSONValue] = [
            "inputs": .array(
                inputs.map { ["identifier": .string($0.0), "type": .string($0.1), "required": true] }),
            "actions": [["ref": "go"]],
        ]
        data["additionalData"] = additional
        return step(.object(data), token: token)
    }

    /// `step` once more, because of an error.
    static func retried(_ step: JSONValue, _ code: String) -> JSONValue {
        .object((step.objectValue ?? [:]).merging(["error": failed(code)["error"] ?? .null]) { $1 })
    }

    static let complete: JSONValue = ["executionId": "e", "flowStatus": "COMPLETE", "data": [:]]

    static func failed(_ code: String) -> JSONValue {
        [
            "executionId": "e", "flowStatus": "ERROR", "data": [:],
            "error": [
                "code": .string(code), "message": ["key": "k", "defaultValue": "text"],
                "description": ["key": "kd", "defaultValue": "description"],
            ],
        ]
    }
}
