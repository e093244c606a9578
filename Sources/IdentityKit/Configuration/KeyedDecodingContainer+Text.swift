extension KeyedDecodingContainer {
    /// A text that says something: one with a character, and without blanks around it.
    /// - Returns: `nil` where there is none.
    /// - Throws: `DecodingError`, which a configuration reports with the key path.
    package func decodeTextIfPresent(forKey key: Key) throws -> String? {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        let flaw =
            text.isEmpty
            ? "It is empty. Give it a value, or leave it out."
            : text.first?.isWhitespace == true || text.last?.isWhitespace == true
                ? "There is a blank before or after it. Take it away." : nil
        if let flaw { throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: flaw) }
        return text
    }
}
