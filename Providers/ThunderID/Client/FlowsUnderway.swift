import Foundation
import IdentityKit

/// What a client remembers of a flow between its steps.
struct FlowUnderway: Sendable {
    /// The application the flow belongs to, when that is known.
    var applicationID: String?
    /// The authorization the flow finishes; `nil` for a flow that ends in an assertion.
    var authorization: NativeAuthorization?
    /// The session it is for.
    var account: AccountID
    /// The newest proof of having seen a step.
    var challengeToken: Secret?
    /// What the newest step asks for.
    private(set) var asksFor: Set<String> = []
    /// Whether the newest step asks for a password. The values of a start may be anything.
    private(set) var asksForPassword = true
    /// What any step has asked for.
    private(set) var askedFor: Set<String> = []

    init(applicationID: String? = nil, authorization: NativeAuthorization? = nil, account: AccountID) {
        self.applicationID = applicationID
        self.authorization = authorization
        self.account = account
    }

    /// Learns from an answer. One without a proof leaves the last one valid (contract 1.5).
    mutating func note(_ answer: FlowAnswer) {
        challengeToken = answer.challengeToken ?? challengeToken
        guard answer.flowStatus == .incomplete else { return }
        asksForPassword = answer.asksForPassword
        asksFor = Set(answer.inputs.map(\.identifier))
        askedFor.formUnion(asksFor)
    }

    /// The values that may be sent now: what an earlier step asked for, such as a password, is nobody's business in a
    /// later one. What no step has asked for came from elsewhere, such as the token of a mailed link.
    func sendable(_ inputs: [String: String]) -> [String: Secret] {
        inputs.filter { asksFor.contains($0.key) || !askedFor.contains($0.key) }.mapValues { Secret($0) }
    }
}

/// The flows of a client that are not over, by execution.
final class FlowsUnderway: Sendable {
    private struct Entry: Sendable {
        var flow: FlowUnderway
        let notedAt: Date
    }

    /// The longest life of an execution that a person who signs in or up has (contract 1.8).
    private static let lifetime: TimeInterval = 3600
    private let entries = Locked<[String: Entry]>([:])
    private let time: TimeSource

    init(time: TimeSource) {
        self.time = time
    }

    subscript(executionID: String) -> FlowUnderway? {
        get { entries.withLock { $0[executionID]?.flow } }
        set {
            let now = time.now
            entries.withLock { entries in
                entries = entries.filter { now < $0.value.notedAt + Self.lifetime }
                entries[executionID] = newValue.map { Entry(flow: $0, notedAt: now) }
            }
        }
    }
}
