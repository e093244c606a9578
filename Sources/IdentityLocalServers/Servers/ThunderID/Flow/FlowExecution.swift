import Foundation
import IdentityKit

/// The caller of a flow, beyond what the body says.
struct FlowCaller: Sendable {
    /// The scopes of the access token in `Authorization`, if it is good.
    var permissions: Set<String> = []
    /// The value of the cookie of the sign-in flow's session.
    var sessionHandle: String?
}

/// Demands of an authorization or sign-out request on the flow that it starts.
struct FlowDemands: Sendable {
    var authorizationRequestID: String?
    var authenticationClasses: [String] = []
    var maximumAge: Int64?
    /// Whether consent is asked for even if it was given (`prompt=consent`).
    var asksConsentAgain = false
    /// Whether an ID token hint showed that a sign-out is the user's own.
    var isSignOutHinted = false
}

struct FlowExecution: Sendable {
    struct Position: Sendable {
        let graph: FlowType
        var node: String
    }

    let id: String
    let type: FlowType
    let application: LocalThunderIDServer.Application?
    let isVerbose: Bool
    let demands: FlowDemands
    let expiresAt: Date

    /// The innermost flow last.
    var positions: [Position]
    /// Everything submitted so far and not forgotten.
    var inputs: [String: String] = [:]
    var chosenAction: String?
    /// SHA-256 of the only challenge token that is taken, once there is one.
    var challengeHash: Data?

    /// Inputs that the last task asked for beyond what its prompt declares.
    var requestedInputs: [FlowInput] = []
    /// The optional inputs that a person has seen; they are not waited for again.
    var presentedInputs: Set<String> = []
    /// The options of the last chooser.
    var allowedActions: Set<String>?

    var caller = FlowCaller()
    /// Values that nodes have produced during the current call.
    var additionalData: [String: String] = [:]
    var sessionChange: FlowStep.SessionChange?

    /// The code of the error that the last call ended with.
    var failure: String?

    var userType = PersonSchema.name
    var userID: String?
    var authenticators: [JSONValue] = []
    /// When the person showed who they are, if that was in an earlier flow.
    var authenticatedAt: Date?
    var selectedClass: String?
    var consentedAttributes: Set<String>?
    var code: OneTimeCode?
    var linkToken: String?
    var passkeyChallenge: String?
    var federationState: String?
    var consentExpiresAt: Date?
    var hasAskedToSignOut = false
    var assertion: String?

    /// Takes the values and the choice of a request.
    mutating func take(inputs: [String: String], action: String?, from caller: FlowCaller) {
        self.inputs.merge(inputs) { $1 }
        if let action { chosenAction = action }
        self.caller = caller
        additionalData = [:]
        sessionChange = nil
    }

    /// The content of an input, when it has any.
    func value(_ identifier: String) -> String? { inputs[identifier].nonEmpty }

    /// Replaces the challenge token and returns the new one (Backends/ThunderID.md#challenge-token).
    mutating func rotateChallenge() -> String {
        let token = LocalIdentifiers.hex(byteCount: 32)
        challengeHash = sha256(Data(token.utf8))
        return token
    }

    /// Whether `token` is the latest one, or none was issued yet.
    func accepts(challenge token: String?) -> Bool {
        guard let challengeHash else { return true }
        return token.map { sha256(Data($0.utf8)) } == challengeHash
    }
}
