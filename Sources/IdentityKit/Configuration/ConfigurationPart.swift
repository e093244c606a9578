/// A configuration, or an object in one, which is read with a ``SettingsReader`` and written as a ``JSONValue``.
package protocol ConfigurationPart: Codable {
    init(_ reader: SettingsReader) throws
    /// The value as JSON, from which ``init(_:)`` reads an equal value.
    var document: JSONValue { get }
}

extension ConfigurationPart {
    /// Reads the members that the type's documentation names.
    /// - Throws: ``ConfigurationError``, also for an invalid value, or the decoder's error.
    public init(from decoder: any Decoder) throws { try self.init(SettingsReader(decoder)) }

    /// Writes what `init(from:)` reads.
    public func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) }
}
