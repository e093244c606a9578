/// A name on the wire from a set that servers may extend, such as a grant type, an error code or an algorithm.
///
/// The value is a string, so that a name unknown to this version survives decoding, storing and sending.
package protocol OpenEnum: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
where RawValue == String {
    /// Creates the value from its name on the wire, which may be unknown to this version.
    init(rawValue: String)
}

extension OpenEnum {
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    public var description: String { rawValue }
}
