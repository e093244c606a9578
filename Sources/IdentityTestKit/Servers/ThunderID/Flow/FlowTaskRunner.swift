#if Tools
import Foundation
import IdentityKit

/// Does what a flow does by itself.
struct FlowTaskRunner: Sendable {
    enum Outcome: Sendable {
        case success
        /// The person must enter these; with an error, again.
        case needs([FlowInput], APIError? = nil)
        case failure(APIError)
    }

    let users: ThunderIDUserDirectory
    let tokens: ThunderIDTokenService
    let messages: Locked<[LocalThunderIDServer.RecoveryMessage]>
    let time: TimeSource

    func run(_ task: FlowTask, in execution: inout FlowExecution) throws -> Outcome {
        switch task {
        case .resolveUserType: resolveUserType(&execution)
        case .authenticate: authenticate(&execution)
        case .requireNewUser: requireNewUser(execution)
        case .provision: provision(&execution)
        case .authorize, .endSession: .success
        case .assert: try assert(&execution)
        case .identifyForRecovery: identifyForRecovery(&execution)
        case .verifyRecoveryToken: verifyRecoveryToken(&execution)
        case .setPassword: setPassword(execution)
        case .requirePermission: .failure(.insufficientPermissions)
        }
    }

    // MARK: Sign-in

    private func authenticate(_ execution: inout FlowExecution) -> Outcome {
        let empty = ["username", "password"].filter { execution.inputs[$0, default: ""].isEmpty }
        guard empty.isEmpty else {
            return .needs(empty.map { FlowInput(identifier: $0, type: "TEXT_INPUT") })
        }
        // Anybody who is not active counts as unknown.
        guard let user = users.user(named: execution.inputs["username", default: ""]), user.isActive else {
            return .needs([], .userNotFound)
        }
        guard user.password == Secret(execution.inputs["password", default: ""]) else {
            return .needs([], .invalidCredentials)
        }
        execution.userID = user.id
        execution.authenticators.append([
            "authenticator": "CredentialsAuthenticator",
            "step": .integer(Int64(execution.authenticators.count + 1)),
            "timestamp": .integer(Int64(time.now.timeIntervalSince1970 * 1000)),
        ])
        return .success
    }

    /// A native assertion carries attributes; that of an authorization request refers to them and to the request
    /// (ThunderID assertion).
    private func assert(_ execution: inout FlowExecution) throws -> Outcome {
        guard let application = execution.application, let user = execution.userID.flatMap(users.user(id:)) else {
            return .failure(.userNotAuthenticated)
        }
        var claims: [String: JSONValue] = [:]
        if !execution.authenticators.isEmpty {
            claims["assurance"] = [
                "aal": "AAL1", "ial": "IAL1", "authenticators": .array(execution.authenticators),
            ]
        }
        if let requestID = execution.authorizationRequestID {
            claims["authorization_request_id"] = .string(requestID)
            claims["aci"] = .string(tokens.cacheAttributes(user.attributes))
        } else {
            claims.merge(user.attributes.filter { application.assertionAttributes.contains($0.key) }) { $1 }
        }
        execution.assertion = try tokens.assertion(claims, subject: user.id, audience: application.id)
        return .success
    }

    // MARK: Registration

    private func resolveUserType(_ execution: inout FlowExecution) -> Outcome {
        let types = execution.application?.userTypes ?? []
        let chosen = types.count == 1 ? types.first : execution.inputs["userType"]
        guard let chosen, types.contains(chosen) else {
            return .needs([FlowInput(identifier: "userType", type: "SELECT", options: types)])
        }
        execution.userType = chosen
        return .success
    }

    private func requireNewUser(_ execution: FlowExecution) -> Outcome {
        let isTaken = users.user(named: execution.inputs["username", default: ""]) != nil
        return isTaken ? .failure(.userAlreadyExists) : .success
    }

    private func provision(_ execution: inout FlowExecution) -> Outcome {
        let missing = PersonSchema.required.filter { execution.inputs[$0, default: ""].isEmpty }
        guard missing.isEmpty else { return .needs(missing.map { .text($0) }) }
        let attributes = execution.inputs.filter { PersonSchema.attributes.contains($0.key) }
            .mapValues(JSONValue.string)
        if let conflict = users.conflict(of: attributes) {
            return .needs([.text(conflict)], .attributeNotUnique(conflict))
        }
        execution.userID = users.add(
            type: execution.userType, attributes: attributes,
            password: Secret(execution.inputs["password", default: ""]))
        return .success
    }

    // MARK: Recovery

    /// Succeeds for unknown users too, so that nobody learns who is known.
    private func identifyForRecovery(_ execution: inout FlowExecution) -> Outcome {
        let token = LocalIdentifiers.base64URL(byteCount: 24)
        execution.recoveryToken = token
        if let user = users.user(named: execution.inputs["username", default: ""]), user.isActive {
            execution.userID = user.id
            let message = LocalThunderIDServer.RecoveryMessage(
                username: user.username, executionID: execution.id, token: Secret(token))
            messages.withLock { $0.append(message) }
        }
        return .success
    }

    private func verifyRecoveryToken(_ execution: inout FlowExecution) -> Outcome {
        let input = FlowInput(ref: "input_recovery_token", identifier: "inviteToken", type: "HIDDEN")
        guard let token = execution.inputs.removeValue(forKey: input.identifier) else { return .needs([input]) }
        return token == execution.recoveryToken ? .success : .failure(.invalidInviteToken)
    }

    private func setPassword(_ execution: FlowExecution) -> Outcome {
        guard let userID = execution.userID else { return .failure(.userNotFound) }
        users.setPassword(Secret(execution.inputs["password", default: ""]), ofUser: userID)
        return .success
    }
}
#endif
