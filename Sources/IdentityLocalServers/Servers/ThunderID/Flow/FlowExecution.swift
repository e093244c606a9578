import Foundation
import IdentityKit

/// The caller of a flow, according to the request's `Authorization` and cookies.
struct FlowCaller: Sendable {
    /// The scopes of the access token in `Authorization`; empty without a valid one.
    var permissions: Set<String> = []
    /// The handle of the browser's single sign-on session, from the browser's cookie; `nil` without the cookie.
    var sessionHandle: String?
}

/// Requirements of an authorization, backchannel or sign-out request on the flow that it starts.
struct FlowDemands: Sendable {
    /// The `authId` of the authorization or backchannel request that the flow belongs to; `nil` for none.
    var authorizationRequestID: String?
    var authenticationClasses: [String] = []
    var maximumAge: Int64?
    /// Whether to ask for consent even if it was given before, as for `prompt=consent` and for backchannel requests.
    var asksConsentAgain = false
    /// Whether the sign-out request has an ID token hint, which the logout endpoint has verified.
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

    /// The current position in each nested flow, the innermost last.
    var positions: [Position]
    /// The submitted values by input identifier. A value is kept for later calls until a task or prompt removes it.
    var inputs: [String: String] = [:]
    var chosenAction: String?
    /// The SHA-256 hash of the only valid challenge token; `nil` before the first one.
    var challengeHash: Data?

    /// Inputs that the latest task requested. The next prompt asks for them in addition to the prompt's own inputs.
    var requestedInputs: [FlowInput] = []
    /// Optional inputs that were shown already, so that the flow does not wait for them again.
    var presentedInputs: Set<String> = []
    /// The `ref`s of the sign-in methods that the person can choose now; `nil` if no prompt awaits such a choice.
    var allowedActions: Set<String>?

    var caller = FlowCaller()
    /// Values that nodes produced during the current call, for the response.
    var additionalData: [String: String] = [:]
    var sessionChange: FlowStep.SessionChange?

    /// The code of the error by which the flow failed in its latest step, such as `FET-1073`; `nil` if it did not fail.
    var failure: String?

    var userType = PersonSchema.name
    var userID: String?
    var authenticators: [JSONValue] = []
    /// The time of the person's authentication in the session that the flow found or opened; `nil` without a session.
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

    /// Stores the inputs, the action and the caller of a call, and discards the data for the previous response.
    mutating func take(inputs: [String: String], action: String?, from caller: FlowCaller) {
        self.inputs.merge(inputs) { $1 }
        if let action { chosenAction = action }
        self.caller = caller
        additionalData = [:]
        sessionChange = nil
    }

    /// Returns the submitted value of an input; `nil` if it is empty or absent.
    func value(_ identifier: String) -> String? { inputs[identifier].nonEmpty }

    /// Makes a new challenge token, which replaces the previous one (Backends/ThunderID.md#challenge-token).
    mutating func rotateChallenge() -> String {
        let token = LocalIdentifiers.hex(byteCount: 32)
        challengeHash = sha256(Data(token.utf8))
        return token
    }

    /// Whether `token` is the latest challenge token, or none was issued yet.
    func accepts(challenge token: String?) -> Bool {
        guard let challengeHash else { return true }
        return token.map { sha256(Data($0.utf8)) } == challengeHash
    }
}
