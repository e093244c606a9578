/// Reads the settings of a ``ProviderPlugin`` or a ``StorePlugin``. Each call also describes the setting that it
/// reads. Editors, the documentation and the program `identity` show this description.
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
/// To collect the descriptions, the framework calls the initializer with a sample for each value. Rules are not
/// applied to samples.
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

    /// Creates a reader of the settings in one object.
    /// - Throws: ``ConfigurationError/wrongType(keyPath:expected:found:)`` for a value that is no object.
    public init(_ decoder: any Decoder) throws {
        self.decoder = decoder
        container = try decoder.container(keyedBy: Key.self)
    }

    /// Returns a reader of the same settings that lets `change` edit each description before it is recorded.
    package func adjusting(_ change: @escaping (inout SettingDescription) -> Void) -> SettingsReader {
        var reader = self
        reader.adjustment = change
        return reader
    }

    /// Reads a required setting.
    /// - Parameters:
    ///   - key: the setting's name.
    ///   - rule: the rule for acceptable values.
    ///   - meaning: the purpose of the setting, in a sentence.
    ///   - example: a valid value, for the documentation.
    ///   - companions: the other settings that an example with this setting needs. `null` stands for a setting that
    ///     must be absent.
    /// - Throws: ``ConfigurationError`` for a setting that is absent, has another type or breaks the rule.
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
    ///   - key: the setting's name.
    ///   - rule: the rule for acceptable values. The default is not checked.
    ///   - meaning: the purpose of the setting, in a sentence.
    ///   - example: a valid value, for the documentation.
    ///   - default: the value of a setting that is absent or `null`, as a configuration would write it.
    ///   - isUsual: whether examples show the setting although it is optional.
    ///   - companions: the other settings that an example with this setting needs. `null` stands for a setting that
    ///     must be absent.
    /// - Throws: ``ConfigurationError`` for a setting that has another type or breaks the rule.
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

    /// Reads an optional setting.
    /// - Parameters:
    ///   - key: the setting's name.
    ///   - rule: the rule for acceptable values.
    ///   - meaning: the purpose of the setting, in a sentence.
    ///   - example: a valid value, for the documentation.
    ///   - default: the value that the caller uses for an absent setting, for the documentation; `nil` for none, or
    ///     when `meaning` explains it.
    ///   - isUsual: whether examples show the setting although it is optional.
    ///   - companions: the other settings that an example with this setting needs. `null` stands for a setting that
    ///     must be absent.
    /// - Returns: `nil` when the setting is absent or `null`.
    /// - Throws: ``ConfigurationError`` for a setting that has another type or breaks the rule.
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

    /// Reads a required object by calling `read` with a reader of the object's members. The other parameters are those
    /// of ``read(_:_:means:example:with:)``.
    /// - Throws: `ConfigurationError` for an object that is absent or has another type, or what `read` throws.
    package func object<Value>(
        _ key: String, means meaning: String, example: @autoclosure () -> JSONValue,
        _ read: (SettingsReader) throws -> Value
    ) throws -> Value {
        describe(SettingDescription(key, meaning, example: example()))
        return try read(SettingsReader(container.superDecoder(forKey: Key(stringValue: key))))
    }

    /// Reads an optional object as ``object(_:means:example:_:)`` does; `nil` when it is absent or `null`.
    /// - Throws: `ConfigurationError` for an object that has another type, or what `read` throws.
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

    /// Returns whether the setting `key` is present, even as `null`. After this call, the key is not reported as
    /// unknown, so another call should read the setting.
    package func contains(_ key: String) -> Bool { container.contains(Key(stringValue: key)) }

    /// Returns an error about a combination of settings, with the key path of one of them.
    /// - Parameters:
    ///   - key: the name of the setting to report; `nil` for the object that contains the settings.
    ///   - reason: the mistake and its remedy, in sentences.
    public func mistake(_ key: String?, _ reason: String) -> ConfigurationError {
        .invalidValue(keyPath: key.map(keyPath) ?? keyPath, reason: reason)
    }

    /// Returns the error for a setting that is absent although other settings require it.
    /// - Parameter key: the name of the missing setting. The error also shows an unread setting with a similar name.
    package func missing(_ key: String) -> ConfigurationError {
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

    /// Returns the result of `read`. While the framework collects descriptions with samples, an error of `read` becomes
    /// `nil`, because a sample may be unacceptable.
    private func orNil<Value>(_ read: () throws -> Value?) throws -> Value? {
        decoder is SchemaNode ? try? read() : try read()
    }
}

extension SettingsReader: Reticent {
    /// Shows the key path of the settings, but no values, which may be secret.
    package var shown: KeyValuePairs<String, Any> { ["keyPath": keyPath] }
}
