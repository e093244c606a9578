import Foundation

/// Decodes settings strictly. Every `ConfigurationError` about a setting names the setting's key path. An unknown key
/// is an error, unless the type reads no key of the same object. Foundation's decoders ignore unknown keys, such as a
/// misspelt optional setting.
struct SettingsDecoder {
    /// Decodes settings, and checks that the type has read all of their keys.
    /// - Parameters:
    ///   - type: the type that decodes.
    ///   - value: the settings: the whole document, or a value in the document.
    ///   - keyPath: the key path of `value` in the document, for errors.
    ///   - texts: the key paths whose values come from the environment, where `"true"`, `"3"` and `"a,b"` are
    ///     accepted as a boolean, a number and a list.
    ///   - folder: the folder against which relative paths in settings are resolved; `nil` for the working directory.
    ///   - home: the folder for which `~` stands in paths; `nil` for the home folder of this process.
    /// - Throws: ``ConfigurationError``, also in place of a `DecodingError`. Other errors of the type's initializer are
    ///   thrown unchanged.
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
            // A type stops decoding at the first missing key. The cause is often a misspelt key in the same object.
            // If there is one, report it instead of the missing key.
            throw SchemaTracer.schema(of: type).unknownKey(in: value, at: keyPath, beside: missing)
                ?? ConfigurationError.missingKey(keyPath: missing)
        }
    }
}

/// Decodes one value of the document, and records which keys of the value are read.
final class SettingsNode: Decoder {
    let value: JSONValue
    let keyPath: String
    // Always empty, because errors name `keyPath` instead.
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

    /// Returns a decoder of the value under `key`, or `nil` when there is none. Either way, the key counts as read.
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

    /// The keys that the value has and the decoded type has not read; empty for a value that is no object.
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

    /// Splits the text of a variable into the elements of a list. A text that is a JSON array has the array's
    /// elements, and any other text is split at its commas.
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
    /// Returns the content of the file at `path`, resolved as ``absolutePath(of:)`` does.
    /// - Returns: `nil` when the path cannot be resolved, or when there is no readable file at the path.
    package func contents(of path: String) -> Data? {
        absolutePath(of: path).flatMap(FileManager.default.contents)
    }

    /// Returns the absolute path for a path in a setting. A relative path is resolved against the folder of the
    /// configuration file, or against the working directory when that folder is unknown.
    /// - Returns: `nil` for an empty path, a path with a NUL character, a path such as `~name`, and `~` without a
    ///   home folder.
    package func absolutePath(of path: String) -> String? {
        let node = self as? SettingsNode
        return try? StorePath.absolute(
            path, in: node?.folder ?? FileManager.default.currentDirectoryPath, home: node?.home)
    }
}
