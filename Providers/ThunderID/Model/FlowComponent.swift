import IdentityKit

/// How an administrator laid a step out. The client has read it already: labels are in ``FlowInput`` and ``FlowAction``,
/// texts in ``FlowStepData/headings`` and ``FlowStepData/paragraphs``.
public struct FlowMeta: Sendable, Hashable {
    /// The parts of the step, in order; `nil` when the server says nothing.
    public let components: [FlowComponent]?

    /// - Parameter texts: what the labels refer to; `nil` to leave them as they are.
    init(_ meta: JSONValue, texts: FlowTexts?) {
        components = meta["components"]?.arrayValue.map { FlowComponent.list($0, texts: texts, depth: 0) }
    }
}

/// A part of a step's layout: a text, a field, a button, or a block of such.
public struct FlowComponent: Sendable, Hashable {
    /// The name; for a button the ``FlowAction/id`` that it stands for.
    public let id: String?
    /// The ``FlowInput/name`` of the field that it stands for.
    public let ref: String?
    /// The kind of part, such as `TEXT`, `TEXT_INPUT`, `ACTION` or `BLOCK`.
    public let type: String?
    /// The group of kinds, such as `DISPLAY`, `FIELD` or `ACTION`.
    public let category: String?
    /// The text on the part, in the person's language.
    public let label: String?
    /// The text in an empty field, in the person's language.
    public let placeholder: String?
    /// How it looks, such as `HEADING_1` or `PRIMARY`.
    public let variant: String?
    /// The action of a button: `SUBMIT` or `TRIGGER`.
    public let eventType: String?
    /// The alignment of the part in its line.
    public let align: String?
    /// The picture on it: an address, or a file's name.
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

    /// The parts of a block, up to a depth that no step needs.
    static func list(_ components: [JSONValue], texts: FlowTexts?, depth: Int) -> [FlowComponent] {
        depth < 32 ? components.map { FlowComponent($0, texts: texts, depth: depth) } : []
    }
}

extension FlowAction {
    /// The action with what `component` says of its button, where the action says nothing itself.
    public func merging(component: FlowComponent) -> FlowAction {
        FlowAction(
            id: id, ref: ref, nextNode: nextNode, type: type, label: label ?? component.label,
            eventType: eventType ?? component.eventType, variant: variant ?? component.variant,
            icon: icon ?? component.icon)
    }
}
