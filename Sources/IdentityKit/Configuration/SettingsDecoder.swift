import Foundation

/// Decodes settings strictly: every error has the key path, and an unknown key is an error. Foundation's decoders ignore
/// unknown keys, such as a misspelt optional setting.
struct SettingsDecoder {
    /// Decodes `type`.
    /// - Parameters:
    ///   - value: the part of the document.
    ///   - keyPath: the key path of that part, for errors.
    ///   - texts: the key paths whose values come from the environment, where `"true"`, `"3"` and `"a,b"` are accepted as a
    ///     boolean, a number and a list.
    ///   - folder: the folder of relative paths; `nil` for the working directory.
    ///   - home: the home folder; `nil` for that of this process.
    /// - Throws: ``ConfigurationError``.
    static func decode<Settings: Decodable>(
        _ type: Settings.Type, from value: JSONValue, at keyPath: String, texts: Set<String> = [],
        folder: String? = nil, home: String? = nil
    ) throws -> Settings {
        let node = SettingsNode(value: value, keyPath: keyPath, texts: texts, folder: folder, home: home)
        do {
            let settings = try SettingsScalar(node: node).decode(type)
            try node.rejectUnreadKeys()
            return settings
        } catch ConfigurationError.missingKey(let missing, nil) {
            // Types stop decoding at a missing key. A misspelt key beside it is often the reason why it is missing.
            throw SchemaTracer.schema(of: type).unknownKey(in: value, at: keyPath, beside: missing)
                ?? ConfigurationError.missingKey(keyPath: missing)
        }
    }
}

/// A decoder of one value of the document, which records the keys that were read.
final class SettingsNode: Decoder {
    let value: JSONValue
    let keyPath: String
    // Always empty, because errors use `keyPath` instead.
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    private let texts: Set<String>
    fileprivate let folder: String?
    fileprivate let home: String?
    private var readKeys: Set<String> = []
    private var children: [SettingsNode] = []

    init(value: JSONValue, keyPath: String, texts: Set<String>, folder: String?, home: String?) {
        self.value = value
        self.keyPath = keyPath
        self.texts = texts
        self.folder = folder
        self.home = home
    }

    /// The text of a value from the environment; `nil` when the value comes from the document.
    var text: String? { texts.contains(keyPath) ? value.stringValue : nil }

    static func join(_ path: String, _ key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }

    static func join(_ path: String, _ key: any CodingKey) -> String {
        if let index = key.intValue { return "\(path)[\(index)]" }
        return join(path, key.stringValue)
    }

    /// The value under `key`. The key counts as read even if it is absent.
    func child(_ key: any CodingKey) -> SettingsNode? {
        readKeys.insert(key.stringValue)
        guard let member = value[key.stringValue] else { return nil }
        return adopt(member, at: Self.join(keyPath, key))
    }

    func adopt(_ value: JSONValue, at keyPath: String) -> SettingsNode {
        let child = SettingsNode(value: value, keyPath: keyPath, texts: texts, folder: folder, home: home)
        children.append(child)
        return child
    }

    func markEverythingRead() {
        readKeys.formUnion(value.objectValue.map { Set($0.keys) } ?? [])
    }

    /// The keys that are present but were not read.
    var unreadKeys: [String] { (value.objectValue ?? [:]).keys.filter { !readKeys.contains($0) } }

    func rejectUnreadKeys() throws {
        if !readKeys.isEmpty, let unread = unreadKeys.min() {
            throw ConfigurationError.unknownKey(keyPath: Self.join(keyPath, unread), known: readKeys.sorted())
        }
        for child in children { try child.rejectUnreadKeys() }
    }

    func wrongType(_ expected: String) -> ConfigurationError {
        .wrongType(keyPath: keyPath.isEmpty ? "The document" : keyPath, expected: expected, found: value.kindName)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard value.objectValue != nil else { throw wrongType("an object") }
        return KeyedDecodingContainer(SettingsObject(node: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.arrayValue ?? text.map(Self.elements) else { throw wrongType("an array") }
        return SettingsArray(node: self, elements: elements)
    }

    /// The elements of a list in a variable: a list in JSON, or texts with commas between them.
    private static func elements(in text: String) -> [JSONValue] {
        if text.hasPrefix("["), let list = try? JSONValue(parsing: Data(text.utf8)).arrayValue { return list }
        return text.split(separator: ",", omittingEmptySubsequences: false)
            .map { .string($0.trimmingCharacters(in: .whitespaces)) }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SettingsScalar(node: self)
    }
}

extension Decoder {
    /// The content of the file that a setting names. A relative path is resolved against the folder of the configuration
    /// file.
    /// - Returns: `nil` when there is no such file, or it cannot be read.
    package func contents(of path: String) -> Data? {
        absolutePath(of: path).flatMap(FileManager.default.contents)
    }

    /// Absolute path for a path in a setting, resolved against the folder of the configuration file; `nil` when it
    /// cannot be resolved.
    package func absolutePath(of path: String) -> String? {
        let node = self as? SettingsNode
        return try? StorePath.absolute(
            path, in: node?.folder ?? FileManager.default.currentDirectoryPath, home: node?.home)
    }
}
