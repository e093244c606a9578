/// A string that must not appear in a log, an error text or a debugger: a token, a password or a code verifier.
///
/// It prints as `<redacted>`. Only ``reveal()`` and ``encode(to:)`` give out the content.
public struct Secret: Sendable, Hashable {
    private let content: String

    public init(_ content: String) {
        self.content = content
    }

    /// Returns the content, for a request or for the store. Do not print or log it.
    public func reveal() -> String {
        content
    }

    public var isEmpty: Bool { content.isEmpty }

    /// Compares the bytes of the contents, as a server does. Swift's string comparison would treat canonically
    /// equivalent strings as equal.
    public static func == (left: Secret, right: Secret) -> Bool { left.content.hasBytes(of: right.content) }

    public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: content) }
}

extension Secret: CustomStringConvertible, Redacted {}

extension Secret: Codable {
    /// Decodes the content from a plain string, as ``encode(to:)`` writes it.
    public init(from decoder: any Decoder) throws {
        content = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the content as a plain string, for requests and for the store.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(content)
    }
}

extension Secret: ExpressibleByStringLiteral {
    /// For literals in tests and examples.
    public init(stringLiteral value: String) { self.init(value) }
}
