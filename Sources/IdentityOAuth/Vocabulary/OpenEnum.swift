/// A word of a wire vocabulary that grows: grant types, token types, error codes, algorithms.
///
/// String-backed, so that a word this version does not know survives being decoded, stored and sent again.
package protocol OpenEnum: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
where RawValue == String {
    /// Wraps a word as it is on the wire.
    init(rawValue: String)
}

extension OpenEnum {
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    public var description: String { rawValue }
}
