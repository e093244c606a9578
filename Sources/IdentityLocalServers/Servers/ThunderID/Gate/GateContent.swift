import Foundation
import IdentityKit

/// The content of the page for a step, made from the step's component tree (`data.meta`). Inputs without a component
/// are shown after the tree's fields. Administrators can add components of any type to a flow. Of a component with an
/// unknown type, only the components inside are shown.
struct GateContent: Sendable {
    struct Link: Sendable {
        let prefix: String?
        let label: String
        let action: String
    }

    private(set) var title: String?
    private(set) var paragraphs: [String] = []
    private(set) var fields: [PageField] = []
    private(set) var buttons: [PageButton] = []
    private(set) var links: [Link] = []
    private var labels: [String: String] = [:]
    private var shown: Set<String> = []

    private let step: FlowStep
    private let texts: GateTexts
    private let typed: [String: String]

    init(_ step: FlowStep, _ texts: GateTexts, typed: [String: String]) {
        (self.step, self.texts, self.typed) = (step, texts, typed)
        for component in Self.components(of: step) { add(component) }
        for input in step.view.inputs where !shown.contains(input.identifier) { add(input, described: nil) }
        if buttons.isEmpty, links.isEmpty {
            for action in step.view.actions { add(action, label: GateTexts.readable(action.ref)) }
        }
        if let message = step.view.message, message != title, !paragraphs.contains(message) {
            if title == nil { title = message } else { paragraphs.append(message) }
        }
    }

    /// Whether the step asks for a passkey, which a page cannot use without a script.
    var needsScript: Bool {
        step.view.inputs.contains { ["clientDataJSON", "attestationObject"].contains($0.identifier) }
    }

    /// Whether the step asks for exactly a user name and a password.
    var asksForPassword: Bool { fields.map(\.autocomplete) == ["username", "current-password"] }

    /// Whether the flow only waits until the person opens the link in a message.
    var waitsForLink: Bool {
        let inputs = step.view.inputs
        return !inputs.isEmpty && step.view.actions.isEmpty && inputs.allSatisfy { $0.type == "HIDDEN" }
    }

    /// The label of an input's field; the identifier in readable form if the input has no field.
    func label(of identifier: String) -> String { labels[identifier] ?? GateTexts.readable(identifier) }

    /// The step's top-level components. Some flows send them as a string that contains JSON.
    private static func components(of step: FlowStep) -> [JSONValue] {
        var description = step.view.description
        if let text = description?.stringValue { description = try? JSONValue(parsing: Data(text.utf8)) }
        return description?["components"]?.arrayValue ?? []
    }

    private mutating func add(_ component: JSONValue) {
        if let input = step.view.inputs.first(where: { $0.identifier == component["ref"]?.stringValue }) {
            return add(input, described: component)
        }
        let label = component["label"]?.stringValue
        switch component["type"]?.stringValue {
        case "TEXT":
            guard let text = texts.text(label) else { break }
            let isHeading = component["variant"]?.stringValue?.hasPrefix("HEADING") == true
            if isHeading, title == nil { title = text } else { paragraphs.append(text) }
        case "RICH_TEXT": addRichText(label ?? "", action: component["action"]?["ref"]?.stringValue)
        case "COPYABLE_TEXT":
            guard let value = component["source"]?.stringValue.flatMap({ step.additionalData[$0] }) else { break }
            paragraphs.append([texts.text(label), value].compactMap { $0 }.joined(separator: ": "))
        case "ACTION":
            guard let action = step.view.actions.first(where: { $0.ref == component["id"]?.stringValue }) else {
                break
            }
            add(
                action, label: texts.text(label) ?? GateTexts.readable(action.ref),
                isTrigger: component["eventType"]?.stringValue == "TRIGGER")
        default: break
        }
        for child in component["components"]?.arrayValue ?? [] { add(child) }
    }

    private mutating func add(_ action: FlowAction, label: String, isTrigger: Bool = false) {
        // A trigger button after a submit button is for a different action, such as to send another code. This button must work
        // while required fields are empty.
        let isAside = isTrigger && buttons.contains { $0.rank == .primary && !$0.skipsChecks }
        buttons.append(
            PageButton(
                label, name: "action", value: action.ref, rank: isTrigger ? .secondary : .primary, skipsChecks: isAside)
        )
    }

    /// Adds a rich text. A text without an action becomes a paragraph. If the step offers the text's action, the `<a>`
    /// element in the text becomes a button for the action. A text whose action is not offered, or that has an action but
    /// no `<a>` element, is left out.
    private mutating func addRichText(_ label: String, action: String?) {
        guard let action, step.view.actions.contains(where: { $0.ref == action }),
            let opening = label.firstRange(of: #/<a\b[^>]*>/#)
        else {
            if action == nil, let text = texts.plainText(label) { paragraphs.append(text) }
            return
        }
        let rest = label[opening.upperBound...]
        let name = rest.firstRange(of: "</a>").map { rest[..<$0.lowerBound] } ?? rest
        links.append(
            Link(
                prefix: texts.plainText(String(label[..<opening.lowerBound])),
                label: texts.plainText(String(name)) ?? GateTexts.readable(action), action: action))
    }

    private mutating func add(_ input: FlowInput, described component: JSONValue?) {
        guard shown.insert(input.identifier).inserted else { return }
        if input.type == "CONSENT_INPUT" { return addConsent() }
        guard let kind = kind(of: input) else { return }
        let label = component?["label"]?.stringValue
        // Inputs without a `ref` have the bare identifier as their label, which is not readable.
        let known = label == input.identifier ? nil : texts.text(label)
        let name = known ?? GateTexts.readable(input.identifier)
        labels[input.identifier] = name
        let isNew = label?.contains("signin:") == false
        fields.append(
            PageField(GateAnswer.prefix + input.identifier, name, kind) {
                $0.value = if case .box = kind { "true" } else { typed[input.identifier] ?? "" }
                $0.isRequired = input.isRequired
                $0.isInvalid = isRefused(input)
                $0.placeholder = texts.text(component?["placeholder"]?.stringValue)
                $0.autocomplete = Self.autocomplete(input, isNew: isNew)
                if input.type == "OTP_INPUT", step.additionalData["otpNumericOnly"] == "true" {
                    $0.inputMode = "numeric"
                }
            })
    }

    private func isRefused(_ input: FlowInput) -> Bool {
        if !step.view.fieldErrors.isEmpty {
            return step.view.fieldErrors.contains { $0.identifier == input.identifier }
        }
        return step.error != nil && step.error != .noSession
    }

    private mutating func addConsent() {
        for purpose in GateConsent.purposes(of: step) {
            if !purpose.description.isEmpty { paragraphs.append(purpose.description + ":") }
            for name in purpose.essential + purpose.optional {
                fields.append(
                    PageField(GateAnswer.consent, GateTexts.readable(name), .box(isTicked: true)) {
                        $0.value = name
                        $0.isDisabled = purpose.essential.contains(name)
                        $0.hint = purpose.essential.contains(name) ? "The application cannot do without it." : nil
                    })
            }
        }
    }

    /// The kind of field for an input; `nil` for a hidden input. Unknown types become text fields.
    private func kind(of input: FlowInput) -> PageField.Kind? {
        switch input.type {
        case "HIDDEN": return nil
        case "PASSWORD_INPUT": return .password
        case "OTP_INPUT": return .oneTimeCode
        case "EMAIL_INPUT": return .line(type: "email")
        case "PHONE_INPUT": return .line(type: "tel")
        case "NUMBER_INPUT": return .line(type: "number")
        case "DATE_INPUT": return .line(type: "date")
        case "BOOLEAN_INPUT": return .box(isTicked: typed[input.identifier] == "true")
        case "SELECT", "OU_SELECT":
            let root = step.additionalData["rootOuId"].map { [$0] } ?? []
            let options = input.options.isEmpty ? root : input.options
            guard !options.isEmpty else { return .line(type: "text") }
            // Options are bare identifiers, so the root organization unit gets a readable name.
            return .choice(options.map { ($0, $0 == root.first ? "The whole organization" : $0) })
        default: return .line(type: "text")
        }
    }

    private static func autocomplete(_ input: FlowInput, isNew: Bool) -> String? {
        if input.type == "OTP_INPUT" { return "one-time-code" }
        return switch input.identifier {
        case "username": "username"
        case "password": isNew ? "new-password" : "current-password"
        case "email": "email"
        case "given_name": "given-name"
        case "family_name": "family-name"
        case "mobile_number": "tel"
        default: nil
        }
    }
}
