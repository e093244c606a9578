/// A rule for the values of a setting; see ``SettingsReader``.
public struct SettingRule<Value> {
    package let check: (Value) throws -> Void
    /// Additions to the JSON Schema that follows from the value's type; `nil` for none.
    let schema: JSONValue?

    /// A rule that a function decides.
    /// - Parameter check: throws for a value that is not acceptable. People see the error's message, which says what is wrong
    ///   and what to write instead.
    public init(_ check: @escaping (Value) throws -> Void) { self.init(schema: nil, check) }

    private init(schema: JSONValue?, _ check: @escaping (Value) throws -> Void) {
        (self.schema, self.check) = (schema, check)
    }

    /// A rule that accepts every value that can be decoded.
    public static var anything: SettingRule { SettingRule { _ in } }
}

extension SettingRule where Value == String {
    /// A text that is not empty and has no blanks around it.
    public static var text: SettingRule {
        SettingRule { text in
            if text.isEmpty { throw SettingError("It is empty. Give it a value, or leave it out.") }
            guard text.first?.isWhitespace == true || text.last?.isWhitespace == true else { return }
            throw SettingError("There is a blank before or after it. Take it away.")
        }
    }

    /// The base address of a server; see ``ServerURL/init(_:allowsLoopbackHTTP:)``.
    public static func serverURL(allowsLoopbackHTTP: Bool) -> SettingRule {
        SettingRule { _ = try ServerURL($0, allowsLoopbackHTTP: allowsLoopbackHTTP) }
    }
}

extension SettingRule where Value == Double {
    /// A number within bounds, which the JSON Schema also has.
    /// - Parameters:
    ///   - bounds: the least and the greatest number.
    ///   - advice: what to write instead of another one.
    public static func within(_ bounds: ClosedRange<Double>, _ advice: String) -> SettingRule {
        let schema: JSONValue = [
            "type": "number", "minimum": .number(bounds.lowerBound), "maximum": .number(bounds.upperBound),
        ]
        return SettingRule(schema: schema) { if !bounds.contains($0) { throw SettingError(advice) } }
    }
}

/// Flaw of a value, with what to write instead.
package struct SettingError: Error {
    let reason: String
    /// Index of the faulty element of a list; `nil` when the value itself is faulty.
    let element: Int?

    package init(_ reason: String, in element: Int? = nil) { (self.reason, self.element) = (reason, element) }
}
