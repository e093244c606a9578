import IdentityKit

/// The layout of a step, designed by an administrator. Apps seldom need it, because the client has already read it: the
/// labels are in ``FlowInput`` and ``FlowAction``, the texts in ``FlowStepData/headings`` and
/// ``FlowStepData/paragraphs``.
public struct FlowMeta: Sendable, Hashable {
    /// The outermost components, in order; `nil` if the layout has no list of components.
    public let components: [FlowComponent]?

    /// - Parameter texts: the translations that replace the references in labels; `nil` to keep the references.
    init(_ meta: JSONValue, texts: FlowTexts?) {
        components = meta["components"]?.arrayValue.map { FlowComponent.list($0, texts: texts, depth: 0) }
    }
}

/// A component of a step's layout: a text, a field, a button, or a block of other components.
public struct FlowComponent: Sendable, Hashable {
    /// Identifier of the component; for a button, its ``FlowAction/id``.
    public let id: String?
    /// The ``FlowInput/name`` of the input, if the component is a field.
    public let ref: String?
    /// The kind of component, such as `TEXT`, `TEXT_INPUT`, `ACTION` or `BLOCK`.
    public let type: String?
    /// The group to which ``type`` belongs, such as `DISPLAY`, `FIELD` or `ACTION`.
    public let category: String?
    /// The label, in the person's language; `nil` if there is none, or if it refers to an unknown translation. A
    /// component decoded from JSON keeps the reference.
    public let label: String?
    /// The placeholder of a field, in the person's language.
    public let placeholder: String?
    /// The appearance, such as `HEADING_1` or `PRIMARY`.
    public let variant: String?
    /// The event type of a button: `SUBMIT` or `TRIGGER`.
    public let eventType: String?
    /// The alignment of the component in its line, such as `center`.
    public let align: String?
    /// The picture of the component: an address or a file name; `nil` for none.
    public let icon: String?
    /// The components of a block; `nil` for a component without such a list.
    public let components: [FlowComponent]?

    init(_ component: JSONValue, texts: FlowTexts?, depth: Int = 0) {
        func word(_ name: String) -> String? { component[name]?.stringValue }
        func text(_ name: String) -> String? { word(name).flatMap { texts == nil ? $0 : texts?.resolve($0) } }
        (id, ref, type, category) = (word("id"), word("ref"), word("type"), word("category"))
        (label, placeholder) = (text("label"), text("placeholder"))
        (variant, eventType, align) = (word("variant"), word("eventType"), word("align"))
        icon = ["startIcon", "icon", "image"].lazy.compactMap(text).first { !$0.isEmpty }
        components = component["components"]?.arrayValue.map { Self.list($0, texts: texts, depth: depth + 1) }
    }

    /// Reads a list of components. Components below the 32nd level are omitted, because the server does not limit the
    /// depth of a layout.
    static func list(_ components: [JSONValue], texts: FlowTexts?, depth: Int) -> [FlowComponent] {
        depth < 32 ? components.map { FlowComponent($0, texts: texts, depth: depth) } : []
    }
}

extension FlowAction {
    /// Returns the action with its missing label, event type, variant and icon filled in from its button.
    public func merging(component: FlowComponent) -> FlowAction {
        FlowAction(
            id: id, ref: ref, nextNode: nextNode, type: type, label: label ?? component.label,
            eventType: eventType ?? component.eventType, variant: variant ?? component.variant,
            icon: icon ?? component.icon)
    }
}
