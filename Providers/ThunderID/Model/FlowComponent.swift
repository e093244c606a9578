import IdentityKit

/// The layout of a step by an administrator. The client has already evaluated it: labels are in ``FlowInput`` and
/// ``FlowAction``, texts in ``FlowStepData/headings`` and ``FlowStepData/paragraphs``.
public struct FlowMeta: Sendable, Hashable {
    /// The parts of the step, in order; `nil` if the server sends none.
    public let components: [FlowComponent]?

    /// - Parameter texts: the texts to which labels refer; `nil` to leave the references.
    init(_ meta: JSONValue, texts: FlowTexts?) {
        components = meta["components"]?.arrayValue.map { FlowComponent.list($0, texts: texts, depth: 0) }
    }
}

/// A part of a step's layout: a text, a field, a button, or a block of parts.
public struct FlowComponent: Sendable, Hashable {
    /// Identifier of the part; for a button, its ``FlowAction/id``.
    public let id: String?
    /// The ``FlowInput/name`` of the input, for a field.
    public let ref: String?
    /// The kind of part, such as `TEXT`, `TEXT_INPUT`, `ACTION` or `BLOCK`.
    public let type: String?
    /// The group of kinds, such as `DISPLAY`, `FIELD` or `ACTION`.
    public let category: String?
    /// The label of the part, in the person's language.
    public let label: String?
    /// The placeholder of a field, in the person's language.
    public let placeholder: String?
    /// The appearance, such as `HEADING_1` or `PRIMARY`.
    public let variant: String?
    /// The event type of a button: `SUBMIT` or `TRIGGER`.
    public let eventType: String?
    /// The alignment of the part in its line.
    public let align: String?
    /// The picture of the part: an address or a file name.
    public let icon: String?
    /// The parts of a block; `nil` for any other part.
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

    /// The parts of a block, with a limited depth.
    static func list(_ components: [JSONValue], texts: FlowTexts?, depth: Int) -> [FlowComponent] {
        depth < 32 ? components.map { FlowComponent($0, texts: texts, depth: depth) } : []
    }
}

extension FlowAction {
    /// The action, completed by the properties of its button.
    public func merging(component: FlowComponent) -> FlowAction {
        FlowAction(
            id: id, ref: ref, nextNode: nextNode, type: type, label: label ?? component.label,
            eventType: eventType ?? component.eventType, variant: variant ?? component.variant,
            icon: icon ?? component.icon)
    }
}
