/// A string that must never reach a log, an error text or a debugger's summary: a token, a password, a code verifier.
///
/// Every way of printing it gives `<redacted>`. Reading the content takes a deliberate ``reveal()``, which is easy to
/// find in a review.
public struct Secret: Sendable, Hashable {
    private let content: String

    /// Wraps `content`.
    public init(_ content: String) {
        self.content = content
    }

    /// The content. Hand it to the wire or to the caller, to nothing that prints.
    public func reveal() -> String {
        content
    }

    /// Whether there is no content at all.
    public var isEmpty: Bool { content.isEmpty }

    /// Whether both are the same bytes, as a server compares them.
    public static func == (left: Secret, right: Secret) -> Bool { left.content.hasBytes(of: right.content) }

    /// Feeds the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: content) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }
    /// Always `<redacted>`.
    public var debugDescription: String { "<redacted>" }
    /// Shows no children, so that `dump` and debuggers see nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Codable {
    /// Decodes a plain string.
    public init(from decoder: any Decoder) throws {
        content = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the content as a plain string: for the wire and for the store, nowhere else.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(content)
    }
}

extension Secret: ExpressibleByStringLiteral {
    /// For literals in tests and examples.
    public init(stringLiteral value: String) { self.init(value) }
}
