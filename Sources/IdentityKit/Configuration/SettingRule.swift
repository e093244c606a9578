/// A check of a setting's decoded value, which a ``SettingsReader`` applies.
public struct SettingRule<Value> {
    package let check: (Value) throws -> Void
    /// The JSON Schema of the setting, in place of the schema of its type; `nil` to keep the schema of the type.
    let schema: JSONValue?

    /// Makes a rule from a function.
    /// - Parameter check: throws for a value that is not acceptable. People see the message of the thrown error, so it should
    ///   explain what is wrong and what to write instead.
    public init(_ check: @escaping (Value) throws -> Void) { self.init(schema: nil, check) }

    private init(schema: JSONValue?, _ check: @escaping (Value) throws -> Void) {
        (self.schema, self.check) = (schema, check)
    }

    /// A rule that accepts every decoded value.
    public static var anything: SettingRule { SettingRule { _ in } }
}

extension SettingRule where Value == String {
    /// A rule for a string that is not empty, and has no white space at its beginning and end.
    public static var text: SettingRule {
        SettingRule { text in
            if text.isEmpty { throw SettingError("It is empty. Give it a value, or leave it out.") }
            guard text.first?.isWhitespace == true || text.last?.isWhitespace == true else { return }
            throw SettingError("There is a blank before or after it. Take it away.")
        }
    }

    /// A rule for the base URL of a server, as ``ServerURL/init(_:allowsLoopbackHTTP:)`` checks it.
    public static func serverURL(allowsLoopbackHTTP: Bool) -> SettingRule {
        SettingRule { _ = try ServerURL($0, allowsLoopbackHTTP: allowsLoopbackHTTP) }
    }
}

extension SettingRule where Value == Double {
    /// A rule for a number within bounds, which become `minimum` and `maximum` in the JSON Schema.
    /// - Parameters:
    ///   - bounds: the least and the greatest number.
    ///   - advice: a sentence about what to write instead of a number outside of the bounds.
    public static func within(_ bounds: ClosedRange<Double>, _ advice: String) -> SettingRule {
        let schema: JSONValue = [
            "type": "number", "minimum": .number(bounds.lowerBound), "maximum": .number(bounds.upperBound),
        ]
        return SettingRule(schema: schema) { if !bounds.contains($0) { throw SettingError(advice) } }
    }
}

/// A value that a ``SettingRule`` does not accept. ``SettingsReader`` converts the error to a ``ConfigurationError``.
package struct SettingError: Error {
    let reason: String
    /// Index of the faulty element of a list; `nil` when the value itself is faulty.
    let element: Int?

    package init(_ reason: String, in element: Int? = nil) { (self.reason, self.element) = (reason, element) }
}
