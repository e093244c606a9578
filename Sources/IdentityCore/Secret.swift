/// A string that must not appear in a log, an error text or a debugger: a token, a password or a code verifier.
///
/// It prints as `<redacted>`. Only ``reveal()`` and ``encode(to:)`` give out the content. Two secrets are equal only if the
/// bytes of their contents are.
public struct Secret: Sendable, Hashable {
    private let content: ExactText

    public init(_ content: String) {
        self.content = ExactText(content)
    }

    /// Returns the content, for a request or for the store. Do not print or log it.
    public func reveal() -> String {
        content.text
    }

    package var isEmpty: Bool { content.text.isEmpty }
}

extension Secret: CustomStringConvertible, Redacted {}

extension Secret: Codable {
    /// Decodes the content from a plain string, as ``encode(to:)`` writes it.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the content as a plain string, for requests and for the store.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(content.text)
    }
}

extension Secret: ExpressibleByStringLiteral {
    /// For literals in tests and examples.
    public init(stringLiteral value: String) { self.init(value) }
}
