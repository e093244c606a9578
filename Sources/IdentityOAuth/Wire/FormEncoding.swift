import IdentityKit

/// A field of a form or a query. Printing shows only its name, because the value is often a secret.
public struct FormField: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    public let name: String
    public let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The fields that have a value, in this order.
    package static func list(_ fields: KeyValuePairs<String, String?>) -> [FormField] {
        fields.compactMap { name, value in value.map { FormField(name, $0) } }
    }

    public var description: String { "\(name)=<redacted>" }
    /// Shows the name alone.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// `application/x-www-form-urlencoded`, as OAuth uses it for queries, bodies and client secrets (RFC 6749 appendix B).
///
/// The order of the fields and repeated names are kept; the reader decides what they mean.
package enum FormEncoding {
    package static let contentType = FormText.contentType

    /// Encodes fields: a space becomes `+`, everything but letters, digits and `*-._` becomes `%XX`.
    package static func encode(_ fields: [FormField]) -> String {
        FormText.encode(fields.map { ($0.name, $0.value) })
    }

    /// Encodes one name or value.
    package static func encode(_ text: String) -> String { FormText.encode(text) }

    /// Decodes fields; empty pieces between `&` are skipped, a field without `=` has an empty value.
    /// - Returns: `nil` when a `%` is not followed by two hex digits or the bytes are not UTF-8, for example Latin-1 in
    ///   an `error_description`: a guess could differ from what the sender meant.
    package static func decode(_ text: some StringProtocol) -> [FormField]? {
        FormText.decode(String(text))?.map { FormField($0.name, $0.value) }
    }
}
