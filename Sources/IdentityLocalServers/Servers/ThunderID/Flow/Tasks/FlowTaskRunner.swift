import Foundation
import IdentityKit

/// Performs the tasks of a flow. Each group of tasks is an extension in a file of its own.
struct FlowTaskRunner: Sendable {
    enum Outcome: Sendable {
        case success
        /// The flow cannot continue without these inputs. If the flow has a prompt for this task, that prompt asks for them in
        /// addition to its own inputs. Without a prompt, the response asks only for these inputs. The error is the reason why
        /// the task refused earlier values; `nil` if it refused none.
        case needs([FlowInput], APIError? = nil)
        /// The browser must visit another identity provider at this address. The provider's response supplies these inputs.
        case redirects(to: String, answering: [FlowInput])
        case failure(APIError)
    }

    let configuration: LocalThunderIDServer.Configuration
    /// Scheme, host, port and path prefix of this server.
    let baseURL: String
    let users: ThunderIDUserDirectory
    let tokens: ThunderIDTokenService
    let outbox: ThunderIDOutbox
    let passkeys: PasskeyRegistry
    let sessions: SingleSignOnSessions
    let consents: ConsentRecords
    let upstream: UpstreamProvider
    let time: TimeSource

    func run(_ task: FlowTask, in execution: inout FlowExecution) throws -> Outcome {
        switch task {
        case .authenticate: authenticate(&execution)
        case .identify: identify(&execution)
        case .authorize: .success
        case .assert: try assert(&execution)
        case .generateCode: generateCode(&execution)
        case .sendCode(let channel): sendCode(by: channel, &execution)
        case .verifyCode(let channel): verifyCode(of: channel, &execution)
        case .sendMagicLink: sendMagicLink(&execution)
        case .verifyMagicLink: verifyMagicLink(&execution)
        case .challengePasskey: challengePasskey(&execution)
        case .verifyPasskey: verifyPasskey(&execution)
        case .offerPasskey: offerPasskey(&execution)
        case .registerPasskey: registerPasskey(&execution)
        case .federate(let connection): federate(with: connection, &execution)
        case .askConsent(let consent): askConsent(to: consent, &execution)
        case .checkSession: checkSession(&execution)
        case .keepSession: keepSession(&execution)
        case .resolveUserType: resolveUserType(&execution)
        case .resolveOrganizationUnit: resolveOrganizationUnit(&execution)
        case .requireNewUser: requireNewUser(execution)
        case .provision: provision(&execution)
        case .collectAttributes: collectAttributes(&execution)
        case .setPassword: setPassword(execution)
        case .identifyForRecovery: identifyForRecovery(&execution)
        case .mailInvitation: mailInvitation(&execution)
        case .shareInvitation: shareInvitation(&execution)
        case .verifyInvitation(let ref): verifyInvitation(ref: ref, &execution)
        case .endSession(let confirmation): endSession(&execution, confirmation)
        case .requirePermission(let permission): requirePermission(permission, execution)
        case .refuse(let error): .failure(error)
        }
    }

    /// Records the authenticator by which the person proved their identity.
    func note(_ authenticator: String, _ execution: inout FlowExecution) {
        execution.authenticators.append([
            "authenticator": .string(authenticator),
            "step": .integer(Int64(execution.authenticators.count + 1)),
            "timestamp": .integer(Int64(time.now.timeIntervalSince1970 * 1000)),
        ])
    }

    private func requirePermission(_ permission: String, _ execution: FlowExecution) -> Outcome {
        execution.caller.permissions.isDisjoint(with: ["system", permission])
            ? .failure(.insufficientPermissions) : .success
    }
}
