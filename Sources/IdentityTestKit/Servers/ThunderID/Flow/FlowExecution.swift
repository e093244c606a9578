#if Tools
import Foundation
import IdentityKit

/// One run of a flow.
struct FlowExecution: Sendable {
    /// A place in a graph.
    struct Position: Sendable {
        let graph: FlowType
        var node: String
    }

    let id: String
    let type: FlowType
    let application: LocalThunderIDServer.Application?
    let isVerbose: Bool
    /// The `authId` of the authorization request that started it.
    let authorizationRequestID: String?
    let expiresAt: Date

    /// The innermost flow last.
    var positions: [Position]
    /// Everything submitted so far and not forgotten.
    var inputs: [String: String] = [:]
    var chosenAction: String?
    /// SHA-256 of the only challenge token that is taken, once there is one.
    var challengeHash: Data?

    /// What the last task asked for beyond what its prompt declares.
    var requestedInputs: [FlowInput] = []
    var userType = PersonSchema.name
    var userID: String?
    var authenticators: [JSONValue] = []
    var recoveryToken: String?
    var assertion: String?

    /// Takes the values and the choice of a request.
    mutating func take(inputs: [String: String], action: String?) {
        self.inputs.merge(inputs) { $1 }
        if let action { chosenAction = action }
    }

    /// Replaces the challenge token and returns the new one (ThunderID challenge token).
    mutating func rotateChallenge() -> String {
        let token = LocalIdentifiers.hex(byteCount: 32)
        challengeHash = sha256(Data(token.utf8))
        return token
    }

    /// Whether `token` is the latest one, or none was handed out yet.
    func accepts(challenge token: String?) -> Bool {
        guard let challengeHash else { return true }
        return token.map { sha256(Data($0.utf8)) } == challengeHash
    }
}
#endif
