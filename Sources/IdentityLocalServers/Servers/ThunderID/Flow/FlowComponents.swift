import IdentityKit

/// The component trees that describe prompts to a user interface (Backends/ThunderID.md#components).
enum FlowComponents {
    /// A component that the server replaces with the fields of all inputs that have no `ref`.
    static let placeholder: JSONValue = ["id": "dynamic_inputs", "type": "DYNAMIC_INPUT_PLACEHOLDER"]

    /// Returns the component tree without the fields of prompt inputs that are not in `inputs`, and without the buttons of
    /// prompt actions that are not in `actions`. Fields for the `inputs` that have no `ref` replace the ``placeholder``.
    static func trim(
        _ components: [JSONValue], of prompt: FlowPrompt, to inputs: [FlowInput], _ actions: [FlowAction]
    ) -> [JSONValue] {
        let known = prompt.inputs.compactMap(\.ref) + prompt.actions.map(\.ref)
        let wanted = inputs.compactMap(\.ref) + actions.map(\.ref)
        let dynamic = inputs.filter { $0.ref == nil }.map(field(for:))
        return components.flatMap { trim($0, dropping: Set(known).subtracting(wanted), dynamic: dynamic) }
    }

    private static func trim(
        _ component: JSONValue, dropping dropped: Set<String>, dynamic: [JSONValue]
    ) -> [JSONValue] {
        if component == placeholder { return dynamic }
        if let id = component["id"]?.stringValue, dropped.contains(id) { return [] }
        guard var members = component.objectValue, let children = members["components"]?.arrayValue else {
            return [component]
        }
        members["components"] = .array(children.flatMap { trim($0, dropping: dropped, dynamic: dynamic) })
        return [.object(members)]
    }

    private static func field(for input: FlowInput) -> JSONValue {
        let name = JSONValue.string(input.identifier)
        return [
            "id": name, "ref": name, "type": .string(input.type), "label": name,
            "required": .bool(input.isRequired),
        ]
    }
}

/// Components of prompts and messages. Most parameters for texts are translation keys of `/flow/meta`, or prefixes of such
/// keys. Only the text of `sentence(_:)` and parameters of the type `JSONValue` are sent unchanged.
extension JSONValue {
    static let logo: JSONValue = [
        "id": "image", "type": "IMAGE", "category": "DISPLAY", "resourceType": "ELEMENT",
        "src": "{{ meta(application.logoUrl) }}", "alt": translated("signin:images.app_logo.alt"),
        "width": "", "height": "60",
    ]

    static func heading(_ text: String) -> JSONValue {
        ["id": "text_001", "type": "TEXT", "variant": "HEADING_1", "align": "center", "label": translated(text)]
    }

    static func block(_ components: [JSONValue]) -> JSONValue {
        ["id": "block_001", "type": "BLOCK", "components": .array(components)]
    }

    static func sentence(_ text: String) -> JSONValue {
        ["id": "text_002", "type": "TEXT", "variant": "BODY", "label": .string(text)]
    }

    static let inviteLink: JSONValue = [
        "id": "copyable_001", "type": "COPYABLE_TEXT", "source": "inviteLink",
        "label": translated("onboarding:forms.invite_link_status.link_label"),
    ]

    /// Returns the field of an input. The field's `ref` is the input's identifier. The field's `id` is the input's `ref`, or
    /// the identifier if the input has no `ref`.
    /// - Parameter texts: the prefix of the keys for label and placeholder.
    static func field(_ input: FlowInput, texts: String) -> JSONValue {
        let texts = "\(texts).\(input.identifier.lowercased())"
        return field(input, label: translated(texts + ".label"), placeholder: translated(texts + ".placeholder"))
    }

    static func field(_ input: FlowInput, label: JSONValue, placeholder: JSONValue = "") -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(input.ref ?? input.identifier), "ref": .string(input.identifier), "type": .string(input.type),
            "required": .bool(input.isRequired), "label": label, "placeholder": placeholder,
        ]
        if !input.options.isEmpty { members["options"] = .array(input.options.map(JSONValue.string)) }
        return .object(members)
    }

    /// Returns the button that submits a form with an action. The button's `id` is the action's `ref`.
    static func submit(_ action: String, text: String) -> JSONValue {
        [
            "id": .string(action), "type": "ACTION", "variant": "PRIMARY", "eventType": "SUBMIT",
            "label": translated(text),
        ]
    }

    /// Returns the button of an action that is one choice among several. The button's `id` is the action's `ref`.
    static func choice(_ action: String, label: JSONValue) -> JSONValue {
        ["id": .string(action), "type": "ACTION", "variant": "OUTLINED", "eventType": "TRIGGER", "label": label]
    }

    static func link(_ name: String, id: String? = nil, action: String, texts: String) -> JSONValue {
        let prefix = "{{ t(\(texts).\(name).prefix) }}"
        let label = "{{ t(\(texts).\(name).label) }}"
        return [
            "id": .string(id ?? "rich_text_" + name), "type": "RICH_TEXT", "category": "DISPLAY",
            "resourceType": "ELEMENT", "action": ["ref": .string(action)],
            "label": .string("<p>\(prefix) <a href=\"#\" data-action-ref=\"\(action)\">\(label)</a></p>"),
        ]
    }

    static func translated(_ key: String) -> JSONValue { .string("{{ t(\(key)) }}") }
}
