import Foundation
import IdentityKit

final class ConsentRecords: Sendable {
    /// The attributes that a user allows an application to see.
    struct Record: Codable, Sendable {
        let userID: String
        let applicationID: String
        let attributes: [String]
    }

    private struct Key: Hashable, Sendable {
        let userID: String
        let applicationID: String
    }

    private let approved: Locked<[Key: Set<String>]>

    /// - Parameter saved: the consents that were given before the server was restarted; `nil` for none.
    init(restoring saved: [Record]? = nil) {
        let records = (saved ?? []).map {
            (Key(userID: $0.userID, applicationID: $0.applicationID), Set($0.attributes))
        }
        approved = Locked(Dictionary(records) { _, last in last })
    }

    var saved: [Record] {
        approved.withLock { $0 }
            .map { Record(userID: $0.userID, applicationID: $0.applicationID, attributes: $1.sorted()) }
            .sorted { ($0.userID, $0.applicationID) < ($1.userID, $1.applicationID) }
    }

    /// Returns the attributes that a user allows an application to see; `nil` if the user has not given consent yet.
    func attributes(of userID: String, for applicationID: String) -> Set<String>? {
        approved.withLock { $0[Key(userID: userID, applicationID: applicationID)] }
    }

    func record(_ attributes: Set<String>, of userID: String, for applicationID: String) {
        approved.withLock { $0[Key(userID: userID, applicationID: applicationID)] = attributes }
    }
}

/// The task that asks a user which attributes an application may see.
extension FlowTaskRunner {
    /// Asks for consent and records it. A user who has consented before is not asked, unless the flow's demands have
    /// `asksConsentAgain`. A denial is not recorded.
    func askConsent(
        to consent: LocalThunderIDServer.SignInFlow.Consent, _ execution: inout FlowExecution
    ) -> Outcome {
        guard let userID = execution.userID, let applicationID = execution.application?.id else {
            return .failure(.userNotAuthenticated)
        }
        if let answer = execution.inputs.removeValue(forKey: "consent_decisions") {
            return decide(answer, consent, userID, applicationID, &execution)
        }
        if !execution.demands.asksConsentAgain, let known = consents.attributes(of: userID, for: applicationID) {
            execution.consentedAttributes = known
            return .success
        }
        execution.additionalData["consentPrompt"] = prompt(consent, applicationID)
        if let timeout = consent.timeout {
            let expiresAt = time.now + timeout.timeInterval
            execution.consentExpiresAt = expiresAt
            execution.additionalData["stepTimeout"] = String(Int64(expiresAt.timeIntervalSince1970 * 1000))
        }
        return .needs([])
    }

    private func decide(
        _ answer: String, _ consent: LocalThunderIDServer.SignInFlow.Consent, _ userID: String,
        _ applicationID: String, _ execution: inout FlowExecution
    ) -> Outcome {
        guard let decisions = try? JSONValue(parsing: Data(answer.utf8)), decisions.objectValue != nil else {
            return .failure(.consentUnreadable)
        }
        if let expiresAt = execution.consentExpiresAt, time.now > expiresAt { return .failure(.consentTimedOut) }
        let approved = Set(
            (decisions["purposes"]?.arrayValue ?? []).filter { $0["approved"] == true }
                .flatMap { $0["elements"]?.arrayValue ?? [] }
                .filter { $0["approved"] == true }.compactMap { $0["name"]?.stringValue })
        guard decisions["approved"] != false, approved.isSuperset(of: consent.essential) else {
            return .failure(.consentDenied)
        }
        let known = approved.intersection(consent.essential + consent.optional)
        consents.record(known, of: userID, for: applicationID)
        execution.consentedAttributes = known
        return .success
    }

    private func prompt(_ consent: LocalThunderIDServer.SignInFlow.Consent, _ applicationID: String) -> String {
        func elements(_ names: [String]) -> JSONValue { .array(names.map { ["name": .string($0)] }) }
        let purposes: JSONValue = [
            [
                "purposeName": .string("app:\(applicationID):attrs"), "purposeId": "purpose-1", "type": "attributes",
                "description": "What the application learns of you", "essential": elements(consent.essential),
                "optional": elements(consent.optional),
            ]
        ]
        return String(decoding: LocalResponse.json(purposes).body, as: UTF8.self)
    }
}
