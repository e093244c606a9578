import Foundation

// The three decoding containers of a `SettingsNode`. `SettingsObject` and `SettingsArray` decode values with
// `SettingsScalar`.

struct SettingsObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let node: SettingsNode

    var codingPath: [any CodingKey] { node.codingPath }
    var allKeys: [Key] {
        // A type that enumerates the keys, such as a dictionary, accepts any key, so all keys count as read.
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
            throw ConfigurationError.missingKey(
                keyPath: SettingsNode.join(node.keyPath, key),
                misspelling: key.stringValue.similarName(in: node.unreadKeys))
        }
        return child
    }
}

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

struct SettingsScalar: SingleValueDecodingContainer {
    let node: SettingsNode

    var codingPath: [any CodingKey] { node.codingPath }

    func decodeNil() -> Bool { node.value == .null }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        switch type {
        case is Bool.Type: return try expect(node.value.boolValue ?? node.text.flatMap(Bool.init), "true or false")
        case is String.Type: return try expect(node.value.stringValue, "a string")
        case is Double.Type: return try expect(number, "a number")
        case is Float.Type: return try expect(number.map { Float($0) }, "a number")
        case let integer as any FixedWidthInteger.Type: return try expect(whole(integer), "a whole number")
        case is JSONValue.Type:
            // A JSON value has arbitrary members, so none of its keys is unknown.
            node.markEverythingRead()
            return try expect(node.value, "a value")
        case is URL.Type:
            guard let text = node.value.stringValue else { throw node.wrongType("a URL") }
            guard let url = URL(string: text), url.scheme != nil else {
                throw ConfigurationError.invalidValue(
                    keyPath: node.keyPath, reason: "\"\(text)\" is not an absolute URL.")
            }
            if let port = url.port, !ServerURL.ports.contains(port) {
                throw ConfigurationError.invalidValue(
                    keyPath: node.keyPath, reason: ServerURLError.noPort(port).message)
            }
            return try expect(url, "a URL")
        default:
            do {
                return try T(from: node)
            } catch let error as DecodingError {
                throw ConfigurationError(
                    error, decoding: type, at: node.keyPath, unread: node.unreadKeys, text: node.value.stringValue)
            }
        }
    }

    private var number: Double? {
        let number = node.value.numberValue ?? node.text.flatMap(Double.init)
        // `Double.init` also accepts the texts `nan` and `inf`, but a JSON number is always finite.
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    private func whole(_ type: any FixedWidthInteger.Type) -> Any? {
        let number = node.value.integerValue ?? node.text.flatMap { Int64($0) }
        return number.flatMap { type.init(exactly: $0) }
    }

    private func expect<T>(_ value: Any?, _ expected: String) throws -> T {
        guard let value = value as? T else { throw node.wrongType(expected) }
        return value
    }
}
