import Foundation

// The three shapes of Swift's decoding protocol over a `SettingsNode`. Each scalar goes through `SettingsScalar`, so the
// rules of conversion stand in one place.

/// An object of a settings document.
struct SettingsObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let node: SettingsNode

    var codingPath: [any CodingKey] { node.codingPath }
    var allKeys: [Key] {
        // Whoever enumerates the keys takes them all: a dictionary of free names.
        node.markEverythingRead()
        return (node.value.objectValue ?? [:]).keys.sorted().compactMap(Key.init(stringValue:))
    }

    func contains(_ key: Key) -> Bool { node.child(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try required(key).value == .null }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try SettingsScalar(node: required(key)).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try required(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try required(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { node }
    func superDecoder(forKey key: Key) throws -> any Decoder { try required(key) }

    private func required(_ key: Key) throws -> SettingsNode {
        guard let child = node.child(key) else {
            throw ConfigurationError.missingKey(keyPath: SettingsNode.join(node.keyPath, key))
        }
        return child
    }
}

/// An array of a settings document.
struct SettingsArray: UnkeyedDecodingContainer {
    let node: SettingsNode
    let elements: [JSONValue]
    private(set) var currentIndex = 0

    init(node: SettingsNode, elements: [JSONValue]) {
        self.node = node
        self.elements = elements
    }

    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try SettingsScalar(node: next()).decode(type)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try next() }

    private mutating func next() throws -> SettingsNode {
        let keyPath = "\(node.keyPath)[\(currentIndex)]"
        guard !isAtEnd else { throw ConfigurationError.missingKey(keyPath: keyPath) }
        defer { currentIndex += 1 }
        return node.adopt(elements[currentIndex], at: keyPath)
    }
}

/// A single value of a settings document.
struct SettingsScalar: SingleValueDecodingContainer {
    let node: SettingsNode

    var codingPath: [any CodingKey] { node.codingPath }

    func decodeNil() -> Bool { node.value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        try expect(node.value.boolValue ?? node.text.flatMap(Bool.init), "true or false")
    }
    func decode(_ type: String.Type) throws -> String { try expect(node.value.stringValue, "a string") }
    func decode(_ type: Double.Type) throws -> Double {
        let number = node.value.numberValue ?? node.text.flatMap(Double.init)
        // Property lists and variables can say that something is no number, or infinite.
        return try expect(number.flatMap { $0.isFinite ? $0 : nil }, "a number")
    }
    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        switch type {
        case is JSONValue.Type:
            // Free-form: everything below is the reader's business.
            node.markEverythingRead()
            return try expect(node.value as? T, "a value")
        case is URL.Type:
            let text = try expect(node.value.stringValue, "a URL")
            guard let url = URL(string: text), url.scheme != nil else {
                throw ConfigurationError.invalidValue(
                    keyPath: node.keyPath, reason: "\"\(text)\" is not an absolute URL.")
            }
            return try expect(url as? T, "a URL")
        default:
            do {
                return try T(from: node)
            } catch let error as DecodingError {
                throw ConfigurationError(error, decoding: type, at: node.keyPath)
            }
        }
    }

    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        let number = node.value.integerValue ?? node.text.flatMap { Int64($0) }
        return try expect(number.flatMap(Integer.init(exactly:)), "a whole number")
    }

    private func expect<Value>(_ value: Value?, _ expected: String) throws -> Value {
        guard let value else { throw node.wrongType(expected) }
        return value
    }
}
