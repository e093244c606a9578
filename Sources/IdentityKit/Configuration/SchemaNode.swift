import Foundation

/// One value of the samples a type is decoded from; see ``SchemaTracer``.
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

    init(path: String, run: SchemaRun) {
        self.path = path
        self.run = run
    }

    var shape: SchemaShape {
        if let scalar { return .scalar(scalar) }
        if let element { return .array(element.shape) }
        if isDictionary { return .dictionary }
        guard let members else { return .anything }
        return .object(members: members.mapValues(\.shape), required: Set(members.keys).subtracting(optional))
    }

    func note(_ schema: JSONValue) { scalar = schema }
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

    /// A value of `type`, made of samples.
    func sample<T: Decodable>(of type: T.Type) throws -> T {
        if type is JSONValue.Type { return try give([:] as JSONValue) }
        if type is URL.Type {
            note(["type": "string", "format": "uri"])
            return try give(URL(string: Self.text))
        }
        if let number = type as? any BoundedNumber.Type {
            note(number.schema)
            return try give(number.init(number: number.bounds.lowerBound))
        }
        if let enumeration = type as? any CaseIterable.Type { return try sample(ofEnumeration: enumeration) }
        return try T(from: self)
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

    /// Good for a text and for an address.
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

    // Only a key that may be absent is asked for before it is read.
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
    func decode(_ type: Bool.Type) throws -> Bool { noting("boolean", true) }
    func decode(_ type: String.Type) throws -> String { noting("string", SchemaNode.text) }
    func decode(_ type: Double.Type) throws -> Double { noting("number", 1) }
    func decode(_ type: Float.Type) throws -> Float { noting("number", 1) }
    func decode(_ type: Int.Type) throws -> Int { noting("integer", 1) }
    func decode(_ type: Int8.Type) throws -> Int8 { noting("integer", 1) }
    func decode(_ type: Int16.Type) throws -> Int16 { noting("integer", 1) }
    func decode(_ type: Int32.Type) throws -> Int32 { noting("integer", 1) }
    func decode(_ type: Int64.Type) throws -> Int64 { noting("integer", 1) }
    func decode(_ type: UInt.Type) throws -> UInt { noting("integer", 1) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { noting("integer", 1) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { noting("integer", 1) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { noting("integer", 1) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { noting("integer", 1) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try node.sample(of: type) }

    private func noting<Value>(_ type: String, _ value: Value) -> Value {
        node.note(["type": .string(type)])
        return value
    }
}
