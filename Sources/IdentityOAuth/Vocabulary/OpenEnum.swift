/// A value of an open set of names on the wire: grant types, token types, error codes, algorithms.
///
/// Backed by a string, so that a value unknown to this version survives decoding, storing and sending.
package protocol OpenEnum: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
where RawValue == String {
    /// Wraps a value as it is on the wire.
    init(rawValue: String)
}

extension OpenEnum {
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    public var description: String { rawValue }
}
