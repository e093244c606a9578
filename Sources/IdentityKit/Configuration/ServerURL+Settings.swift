extension KeyedDecodingContainer {
    /// Decodes a base URL of a provider's settings.
    /// - Parameters:
    ///   - key: the key of the setting.
    ///   - allowsLoopbackHTTP: see ``ServerURL/init(_:allowsLoopbackHTTP:)``.
    /// - Throws: a decoding error with the ``ServerURLError``, which a configuration reports with its key path.
    public func decodeServerURL(forKey key: Key, allowsLoopbackHTTP: Bool) throws -> ServerURL {
        let text = try decode(String.self, forKey: key)
        do {
            return try ServerURL(text, allowsLoopbackHTTP: allowsLoopbackHTTP)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: codingPath + [key], debugDescription: error.identityMessage, underlyingError: error))
        }
    }
}
