/// Reads the settings of a ``ProviderPlugin`` or a ``StorePlugin``. The call that reads a setting also says what the
/// setting is for, and this description is shown by editors, the documentation and `identity`:
///
/// ```swift
/// init(from decoder: any Decoder) throws {
///     let settings = try SettingsReader(decoder)
///     url = try settings.read("url", means: "The server's address.", example: "https://acme.example")
///     region = try settings.readIfPresent("region", .text, means: "The server's region.", example: "eu")
///     retries = try settings.read("retries", means: "How often a request is repeated.", example: 3, default: 1)
/// }
/// ```
///
/// To describe a type, its initializer is called with a sample for each value; no rules are applied to samples.
public struct SettingsReader {
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package let decoder: any Decoder
    private let container: KeyedDecodingContainer<Key>
    private var adjustment: (inout SettingDescription) -> Void = { _ in }

    /// A reader of the members of one object.
    /// - Throws: ``ConfigurationError`` for a value that is no object.
    public init(_ decoder: any Decoder) throws {
        self.decoder = decoder
        container = try decoder.container(keyedBy: Key.self)
    }

    /// A reader of the same settings that changes the descriptions of some.
    package func adjusting(_ change: @escaping (inout SettingDescription) -> Void) -> SettingsReader {
        var reader = self
        reader.adjustment = change
        return reader
    }

    /// Reads a setting that must be there.
    /// - Parameters:
    ///   - key: its name.
    ///   - rule: which values are acceptable.
    ///   - meaning: what it is for, in a sentence.
    ///   - example: a value that it may have.
    ///   - companions: the settings that `example` needs beside it. `null` stands for one that must be absent.
    /// - Throws: ``ConfigurationError``.
    public func read<Value: Decodable>(
        _ key: String, _ rule: SettingRule<Value> = .anything, means meaning: String,
        example: @autoclosure () -> JSONValue,
        with companions: @autoclosure () -> JSONValue = [:]
    ) throws -> Value {
        describe(SettingDescription(key, meaning, example: example(), with: companions()))
        let value = try container.decode(Value.self, forKey: Key(stringValue: key))
        try check(value, of: key, by: rule)
        return value
    }

    /// Reads a setting that has a default.
    /// - Parameters:
    ///   - key: its name.
    ///   - rule: which values are acceptable.
    ///   - meaning: what it is for, in a sentence.
    ///   - example: a value that it may have.
    ///   - default: the value of an absent setting, as a configuration would write it.
    ///   - isUsual: whether a complete example has it although it can be absent.
    ///   - companions: the settings that `example` needs beside it. `null` stands for one that must be absent.
    /// - Throws: ``ConfigurationError``.
    public func read<Value: Decodable>(
        _ key: String, _ rule: SettingRule<Value> = .anything, means meaning: String,
        example: @autoclosure () -> JSONValue,
        default: @autoclosure () -> JSONValue, isUsual: Bool = false,
        with companions: @autoclosure () -> JSONValue = [:]
    ) throws -> Value {
        try readIfPresent(
            key, rule, means: meaning, example: example(), default: `default`(), isUsual: isUsual, with: companions())
            ?? SettingsDecoder.decode(Value.self, from: `default`(), at: keyPath(of: key))
    }

    /// Reads a setting that can be absent.
    /// - Parameters:
    ///   - key: its name.
    ///   - rule: which values are acceptable.
    ///   - meaning: what it is for, in a sentence.
    ///   - example: a value that it may have.
    ///   - default: the value that applies when the setting is absent; `nil` for none, or when `meaning` explains it.
    ///   - isUsual: whether a complete example has it although it can be absent.
    ///   - companions: the settings that `example` needs beside it. `null` stands for one that must be absent.
    /// - Throws: ``ConfigurationError``.
    public func readIfPresent<Value: Decodable>(
        _ key: String, _ rule: SettingRule<Value> = .anything, means meaning: String,
        example: @autoclosure () -> JSONValue,
        default: @autoclosure () -> JSONValue? = nil, isUsual: Bool = false,
        with companions: @autoclosure () -> JSONValue = [:]
    ) throws -> Value? {
        describe(
            SettingDescription(
                key, meaning, example: example(), default: `default`(), isUsual: isUsual, with: companions()))
        let value = try orNil { try container.decodeIfPresent(Value.self, forKey: Key(stringValue: key)) }
        if let value { try check(value, of: key, by: rule) }
        return value
    }

    /// Reads an object with a function of its own. Parameters and errors are those of
    /// ``read(_:_:means:example:with:)``.
    package func object<Value>(
        _ key: String, means meaning: String, example: @autoclosure () -> JSONValue,
        _ read: (SettingsReader) throws -> Value
    ) throws -> Value {
        describe(SettingDescription(key, meaning, example: example()))
        return try read(SettingsReader(container.superDecoder(forKey: Key(stringValue: key))))
    }

    /// Reads an optional object as ``object(_:means:example:_:)`` does; `nil` when it is absent.
    package func objectIfPresent<Value>(
        _ key: String, means meaning: String, example: @autoclosure () -> JSONValue,
        default: @autoclosure () -> JSONValue? = nil,
        with companions: @autoclosure () -> JSONValue = [:], _ read: (SettingsReader) throws -> Value
    ) throws -> Value? {
        describe(SettingDescription(key, meaning, example: example(), default: `default`(), with: companions()))
        let name = Key(stringValue: key)
        guard container.contains(name), try !container.decodeNil(forKey: name) else { return nil }
        return try orNil { try read(SettingsReader(container.superDecoder(forKey: name))) }
    }

    /// Whether a setting is present that is read by another call, or by another reader of the same object.
    package func contains(_ key: String) -> Bool { container.contains(Key(stringValue: key)) }

    /// An error about what several settings mean together, reported at one of them.
    /// - Parameters:
    ///   - key: the setting; `nil` for the object itself.
    ///   - reason: what is wrong and what to write instead, in sentences.
    public func mistake(_ key: String?, _ reason: String) -> ConfigurationError {
        .invalidValue(keyPath: key.map(keyPath) ?? keyPath, reason: reason)
    }

    /// An error about a missing setting that others require.
    /// - Parameter key: the setting.
    public func missing(_ key: String) -> ConfigurationError {
        .missingKey(
            keyPath: keyPath(of: key),
            misspelling: key.similarName(in: (decoder as? SettingsNode)?.unreadKeys ?? []))
    }

    private var keyPath: String {
        (decoder as? SettingsNode)?.keyPath ?? decoder.codingPath.reduce("", SettingsNode.join)
    }

    private func keyPath(of key: String) -> String { SettingsNode.join(keyPath, key) }

    private func describe(_ make: @autoclosure () -> SettingDescription) {
        guard let node = decoder as? SchemaNode else { return }
        var description = make()
        adjustment(&description)
        node.describe(description)
    }

    private func check<Value>(_ value: Value, of key: String, by rule: SettingRule<Value>) throws {
        if let node = decoder as? SchemaNode {
            if let schema = rule.schema { node.member(key).note(schema) }
            return
        }
        do {
            try rule.check(value)
        } catch let flaw as SettingError {
            throw mistake(flaw.element.map { "\(key)[\($0)]" } ?? key, flaw.reason)
        } catch {
            throw mistake(key, error.identityMessage)
        }
    }

    /// The result of `read`; `nil` when it fails on samples while a type is described.
    private func orNil<Value>(_ read: () throws -> Value?) throws -> Value? {
        decoder is SchemaNode ? try? read() : try read()
    }
}

extension SettingsReader: CustomReflectable {
    /// Shows the key path of the settings, but no values.
    public var customMirror: Mirror { Mirror(self, showing: ["keyPath": keyPath]) }
}
