import Foundation
import IdentityKit

extension ThunderIDCall {
    func executeFlow() throws -> LocalResponse {
        let request = try FlowRequest(body: request.body)
        let step =
            if request.executionID.isEmpty {
                try start(request)
            } else {
                try backend.flows.resume(
                    request.executionID, challengeToken: request.challengeToken, inputs: request.inputs,
                    action: request.chosenAction, from: flowCaller)
            }
        return .json(step.json, headers: step.sessionChange.map { [("Set-Cookie", $0.cookie)] } ?? [])
    }

    private func start(_ request: FlowRequest) throws -> FlowStep {
        guard let type = FlowType(rawValue: request.flowType) else {
            throw ThunderIDServerError.api(status: 400, .invalidFlowType)
        }
        guard type != .administration else {
            throw ThunderIDServerError.api(status: 401, .administrationNeedsAuthentication)
        }
        let application = backend.application(id: request.applicationID)
        if type != .userOnboarding {
            guard let application else { throw ThunderIDServerError.api(status: 400, .invalidApplication) }
            try permit(type, application)
        }
        return try backend.flows.start(
            type, for: application, isVerbose: request.isVerbose, inputs: request.inputs, from: flowCaller)
    }

    private func permit(_ type: FlowType, _ application: LocalThunderIDServer.Application) throws {
        switch type {
        case .authentication, .signOut:
            try DirectInitiationGuard.check(application, request: request)
        case .registration where !application.isRegistrationEnabled:
            throw ThunderIDServerError.api(status: 400, .registrationDisabled)
        case .recovery where !application.isRecoveryEnabled:
            throw ThunderIDServerError.api(status: 400, .recoveryDisabled)
        case .registration, .recovery, .userOnboarding, .administration:
            break
        }
    }
}

extension ThunderIDCall {
    /// The caller according to `Authorization` and the session cookie. An invalid token is ignored, and so are the scopes of
    /// a token that is not an access token.
    var flowCaller: FlowCaller {
        let token = request.bearerToken.flatMap(backend.tokens.good)
        return FlowCaller(
            permissions: Set(token.map { $0.isAccessToken ? $0.scopes : [] } ?? []),
            sessionHandle: request.cookies(SingleSignOnSessions.cookieName).first)
    }
}

extension FlowStep.SessionChange {
    /// The value of `Set-Cookie`. The attribute `Secure` is missing, because this server has no TLS.
    var cookie: String {
        let name = SingleSignOnSessions.cookieName
        return switch self {
        case .set(let handle): "\(name)=\(handle); Path=/; HttpOnly; SameSite=Lax"
        case .clear: "\(name)=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"
        }
    }
}

/// The body of a flow call. Unknown members are ignored. A known member must have the right type or be `null`, which
/// counts as absent or empty. Texts are trimmed, and lose control characters other than line feed and tab
/// (Backends/ThunderID.md#texts-are-trimmed).
struct FlowRequest: Sendable {
    let applicationID: String
    let flowType: String
    let isVerbose: Bool
    let executionID: String
    let challengeToken: String
    let inputs: [String: String]
    private let action: String

    var chosenAction: String? { action.isEmpty ? nil : action }

    /// Reads the body of a request.
    /// - Throws: the error `FES-1001` for a malformed body.
    init(body: Data) throws {
        guard let members = try? JSONValue(parsing: body).objectValue else { throw Self.undecodable }
        applicationID = try Self.text(members["applicationId"])
        flowType = try Self.text(members["flowType"])
        executionID = try Self.text(members["executionId"])
        challengeToken = try Self.text(members["challengeToken"])
        action = try Self.text(members["action"])
        inputs = try Self.inputs(members["inputs"])
        switch members["verbose"] ?? .null {
        case .null: isVerbose = false
        case .bool(let value): isVerbose = value
        default: throw Self.undecodable
        }
    }

    private static let undecodable = ThunderIDServerError.api(status: 400, .undecodableFlowRequest)

    private static func inputs(_ value: JSONValue?) throws -> [String: String] {
        switch value ?? .null {
        case .null: return [:]
        case .object(let members): return try members.mapValues { try text($0) }
        default: throw undecodable
        }
    }

    private static func text(_ value: JSONValue?) throws -> String {
        switch value ?? .null {
        case .null: return ""
        case .string(let text): return sanitized(text)
        default: throw undecodable
        }
    }

    private static func sanitized(_ text: String) -> String {
        let printable = text.unicodeScalars.filter {
            $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control
        }
        return String(String.UnicodeScalarView(printable)).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
