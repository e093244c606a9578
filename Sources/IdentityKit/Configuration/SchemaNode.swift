import Foundation

/// A type of settings values that supplies its own JSON Schema and sample, so that ``SchemaTracer`` need not decode it.
package protocol SampledSetting: Decodable {
    static var schema: JSONValue { get }
    static var sample: Self { get }
}

/// A decoder that returns sample values and records the keys and types that are read; see ``SchemaTracer``.
final class SchemaNode: Decoder {
    let path: String
    let run: SchemaRun
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    private var scalar: JSONValue?
    private var element: SchemaNode?
    private var members: [String: SchemaNode]?
    private var optional: Set<String> = []
    private var isDictionary = false
    private var descriptions: [String: SettingDescription] = [:]

    init(path: String, run: SchemaRun) {
        self.path = path
        self.run = run
    }

    var shape: SchemaShape {
        if let scalar { return .scalar(scalar) }
        if let element { return .array(element.shape) }
        if isDictionary { return .dictionary }
        guard let members else { return .anything }
        return .object(
            members: members.mapValues(\.shape), required: Set(members.keys).subtracting(optional),
            descriptions: descriptions)
    }

    func note(_ schema: JSONValue) { scalar = schema }
    func describe(_ description: SettingDescription) { descriptions[description.key] = description }
    func noteDictionary() { isDictionary = true }
    func noteOptional(_ key: String) { optional.insert(key) }

    func member(_ key: String) -> SchemaNode {
        let member = members?[key] ?? SchemaNode(path: "\(path).\(key)", run: run)
        members = (members ?? [:]).merging([key: member]) { old, _ in old }
        return member
    }

    func elementNode() -> SchemaNode {
        let node = element ?? SchemaNode(path: "\(path)[]", run: run)
        element = node
        return node
    }

    func sample<T: Decodable>(of type: T.Type) throws -> T {
        switch type {
        case is JSONValue.Type: return try give([:] as JSONValue)
        case is Bool.Type: return try give(true, of: "boolean")
        case is String.Type: return try give(Self.text, of: "string")
        case is Double.Type: return try give(1.0, of: "number")
        case is Float.Type: return try give(Float(1), of: "number")
        case let integer as any FixedWidthInteger.Type: return try give(integer.init(clamping: 1), of: "integer")
        case is Date.Type:
            note(["type": "string", "format": "date-time"])
            return try give(Date(timeIntervalSince1970: 0))
        case is URL.Type:
            note(["type": "string", "format": "uri"])
            return try give(URL(string: Self.text))
        case let setting as any SampledSetting.Type:
            note(setting.schema)
            return try give(setting.sample)
        case let enumeration as any CaseIterable.Type: return try sample(ofEnumeration: enumeration)
        default: return try T(from: self)
        }
    }

    private func give<T>(_ value: Any?, of schemaType: String) throws -> T {
        note(["type": .string(schemaType)])
        return try give(value)
    }

    private func sample<T>(ofEnumeration enumeration: any CaseIterable.Type) throws -> T {
        let values = Self.values(of: enumeration)
        let texts = values.map { ($0 as? any RawRepresentable).map { "\($0.rawValue)" } ?? "\($0)" }
        note(["type": "string", "enum": .array(texts.map(JSONValue.string))])
        run.enumerations[path] = values.count
        let index = run.choices[path] ?? 0
        return try give(values.indices.contains(index) ? values[index] : values.first)
    }

    private static func values<Enumeration: CaseIterable>(of type: Enumeration.Type) -> [Any] {
        type.allCases.map { $0 }
    }

    private func give<T>(_ value: Any?) throws -> T {
        guard let value = value as? T else { throw CancellationError() }
        return value
    }

    /// The sample of a string. It is an address, so that types that decode an address from a string accept it.
    static let text = "https://example.com"

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if members == nil { members = [:] }
        return KeyedDecodingContainer(SchemaObject(node: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { SchemaArray(node: self) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { SchemaScalar(node: self) }
}

private struct SchemaObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let node: SchemaNode
    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        node.noteDictionary()
        return []
    }

    // Records the key as optional, because types call `contains` only for optional keys.
    func contains(_ key: Key) -> Bool {
        node.noteOptional(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try node.member(key.stringValue).sample(of: type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try node.member(key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try node.member(key.stringValue).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { node }
    func superDecoder(forKey key: Key) throws -> any Decoder { node.member(key.stringValue) }
}

private struct SchemaArray: UnkeyedDecodingContainer {
    let node: SchemaNode
    private(set) var currentIndex = 0

    init(node: SchemaNode) {
        self.node = node
    }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { 1 }
    var isAtEnd: Bool { currentIndex > 0 }

    private mutating func next() -> SchemaNode {
        currentIndex += 1
        return node.elementNode()
    }

    mutating func decodeNil() throws -> Bool { false }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().sample(of: type) }
    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { next() }
}

private struct SchemaScalar: SingleValueDecodingContainer {
    let node: SchemaNode
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try node.sample(of: type) }
}
