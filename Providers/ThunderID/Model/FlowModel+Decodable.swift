import IdentityKit

// Lets apps decode steps in previews and tests. A client creates its steps from `FlowResponse`, with translated labels.

extension EmbeddedFlowResponse: Decodable {
    /// Reads a server's response. Labels that refer to translations are omitted.
    public init(from decoder: any Decoder) throws {
        self.init(try FlowResponse(from: decoder), texts: FlowTexts())
    }
}

extension FlowStepData: Decodable {
    /// Reads the member `data` of a response. Labels that refer to translations are omitted.
    public init(from decoder: any Decoder) throws {
        self.init(try FlowResponse.StepData(from: decoder), isRedirection: true, texts: FlowTexts())
    }
}

extension FlowMeta: Decodable {
    /// Reads a layout, and leaves references to translations in its labels.
    public init(from decoder: any Decoder) throws {
        self.init(try JSONValue(from: decoder), texts: nil)
    }
}

extension FlowComponent: Decodable {
    /// Reads a component of a layout, and leaves references to translations in its labels.
    public init(from decoder: any Decoder) throws {
        self.init(try JSONValue(from: decoder), texts: nil)
    }
}

extension FlowAction: Decodable {
    private enum CodingKeys: String, CodingKey { case id, ref, nextNode, type, label, eventType, variant, icon }

    /// Reads an action. The identifier is the value of `id`, or else of `ref`, which the server sends.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try container.decodeIfPresent(String.self, forKey: key) }
        let ref = try text(.ref)
        self.init(
            id: try text(.id) ?? ref ?? container.decode(String.self, forKey: .id), ref: ref,
            nextNode: try text(.nextNode), type: try text(.type), label: try text(.label),
            eventType: try text(.eventType), variant: try text(.variant), icon: try text(.icon))
    }
}

extension FlowInput: Decodable {
    private enum CodingKeys: String, CodingKey { case identifier, name, type, required, label, placeholder, options }

    /// Reads a field without its rules. The name is the value of `identifier`, which the server sends, or else of `name`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try container.decodeIfPresent(String.self, forKey: key) }
        self.init(
            name: try text(.identifier) ?? container.decode(String.self, forKey: .name), type: try text(.type),
            required: try container.decodeIfPresent(Bool.self, forKey: .required), label: try text(.label),
            placeholder: try text(.placeholder),
            options: try container.decodeIfPresent([String].self, forKey: .options) ?? [])
    }
}
