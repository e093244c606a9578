import Foundation
import IdentityKit

/// A person's input on a page, in the form that the flow accepts.
struct GateAnswer: Sendable {
    /// The prefix of field names. The field of an input is named `input.` followed by the input's identifier.
    static let prefix = "input."
    /// The field name of every consent checkbox. The value of a checkbox is the name of an attribute.
    static let consent = "consent"

    let inputs: [String: String]
    let action: String?
    let repeatable: [String: String]

    init(to step: FlowStep, _ form: [LocalRequest.Parameter]) {
        let action = form.first { $0.name == "action" }?.value
        var inputs: [String: String] = [:]
        var repeatable: [String: String] = [:]
        for input in step.view.inputs {
            let sent = form.first { $0.name == Self.prefix + input.identifier }?.value ?? ""
            switch input.type {
            case "BOOLEAN_INPUT": inputs[input.identifier] = sent == "true" ? "true" : "false"
            case "CONSENT_INPUT": inputs[input.identifier] = Self.decisions(step, form, refuses: Self.refuses(action))
            // Hidden inputs are sent even if they are empty.
            case "HIDDEN": inputs[input.identifier] = sent
            // Empty values are not sent. The flow then asks again for a required input, but not for an optional one.
            default: inputs[input.identifier] = sent.isEmpty ? nil : sent
            }
            if !["PASSWORD_INPUT", "OTP_INPUT"].contains(input.type) { repeatable[input.identifier] = sent }
        }
        // A link leads away from the form, so the values of partly filled fields are not sent.
        let isLink = form.contains { $0.name == "link" }
        self.inputs = isLink ? [:] : inputs
        self.repeatable = isLink ? [:] : repeatable
        self.action = action.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether an action refuses consent. Flows do not mark such actions, so an action refuses if its name contains `deny`,
    /// `reject` or `cancel`.
    private static func refuses(_ action: String?) -> Bool {
        ["deny", "reject", "cancel"].contains { action?.lowercased().contains($0) == true }
    }

    /// The JSON of the input `consent_decisions`: whether each purpose and each of its elements is approved.
    private static func decisions(_ step: FlowStep, _ form: [LocalRequest.Parameter], refuses: Bool) -> String {
        let ticked = Set(form.filter { $0.name == consent }.map(\.value))
        let purposes: [JSONValue] = GateConsent.purposes(of: step).map { purpose in
            let elements: [JSONValue] = (purpose.essential + purpose.optional).map { name in
                let isApproved = !refuses && (purpose.essential.contains(name) || ticked.contains(name))
                return ["name": .string(name), "approved": .bool(isApproved)]
            }
            return ["purposeName": .string(purpose.name), "approved": .bool(!refuses), "elements": .array(elements)]
        }
        let decisions: JSONValue = ["approved": .bool(!refuses), "purposes": .array(purposes)]
        return String(decoding: LocalResponse.json(decisions).body, as: UTF8.self)
    }
}

/// A purpose for which a flow asks for consent, with the names of its attributes. `consentPrompt` is an array of purposes.
struct GateConsent: Sendable {
    let name: String
    let description: String
    let essential: [String]
    let optional: [String]

    static func purposes(of step: FlowStep) -> [GateConsent] {
        let text = step.additionalData["consentPrompt"] ?? ""
        return ((try? JSONValue(parsing: Data(text.utf8)))?.arrayValue ?? []).map { purpose in
            func names(_ member: String) -> [String] {
                (purpose[member]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
            }
            return GateConsent(
                name: purpose["purposeName"]?.stringValue ?? "", description: purpose["description"]?.stringValue ?? "",
                essential: names("essential"), optional: names("optional"))
        }
    }
}
