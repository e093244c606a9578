import IdentityKit

/// A field of a form or a query. Printing shows only its name, because the value is often a secret.
public struct FormField: Sendable, Hashable, CustomStringConvertible, Reticent {
    public let name: String
    public let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Returns the fields that have a value, in the order of `fields`.
    package static func list(_ fields: KeyValuePairs<String, String?>) -> [FormField] {
        fields.compactMap { name, value in value.map { FormField(name, $0) } }
    }

    public var description: String { "\(name)=<redacted>" }
    /// Shows only the name, because the value is often a secret.
    package var shown: KeyValuePairs<String, Any> { ["name": name] }
}

/// `application/x-www-form-urlencoded`, as OAuth uses it for queries, bodies and client secrets (RFC 6749 appendix B).
///
/// Encoding and decoding keep the order of the fields and all fields of the same name. The caller decides what a repeated
/// name means.
package enum FormEncoding {
    package static let contentType = FormText.contentType

    /// Encodes fields as UTF-8. ASCII letters, digits and `*-._` stay as they are, a space becomes `+`, and every other
    /// byte becomes `%XX`.
    package static func encode(_ fields: [FormField]) -> String {
        FormText.encode(fields.map { ($0.name, $0.value) })
    }

    /// Encodes one name or value by the same rules as fields.
    package static func encode(_ text: String) -> String { FormText.encode(text) }

    /// Decodes fields. Empty pieces between `&` are skipped, and a field without `=` has an empty value. Only the value
    /// of `error_description` may also be Latin-1, as some servers write it.
    /// - Returns: `nil` when a `%` is not followed by two hex digits, or when a name, or a value of any other field, is not
    ///   UTF-8. A guess could differ from what the sender meant. Also `nil` for a text with more than 256 combining marks in a
    ///   row.
    package static func decode(_ text: some StringProtocol) -> [FormField]? {
        FormText.decode(String(text))?.map { FormField($0.name, $0.value) }
    }
}
