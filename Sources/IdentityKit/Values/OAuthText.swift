import IdentityStoreFormat

extension StringProtocol {
    /// Whether the text is `1*VSCHAR`, as every token is (RFC 6749 appendix A.12). Such a text contains no line break.
    package var isVisibleText: Bool { OAuthCharacters.vschar.makeUp(self) }

    /// Whether the text is `1*NQSCHAR`, as an error code is (RFC 6749 appendix A.7).
    package var isErrorText: Bool { OAuthCharacters.nqschar.makeUp(self) }

    /// Whether the text is `1*NQCHAR`: a scope token (RFC 6749 appendix A.4), or a nonce for proofs (RFC 9449 section
    /// 8.1).
    package var isUnquotedWord: Bool { OAuthCharacters.nqchar.makeUp(self) }
}

extension String {
    /// Returns the text, after checking that it can be a token in a header: `1*VSCHAR` (RFC 6749 appendix A.12).
    /// - Parameter name: the kind of token, for the text of the error.
    package func asToken(_ name: String = "access token") throws(MalformedTokenError) -> String {
        guard isToken else { throw MalformedTokenError(name: name) }
        return self
    }

    /// Equals ``isVisibleText``, but without a call for each byte, because a token is checked for every request.
    private var isToken: Bool {
        let known = utf8.withContiguousStorageIfAvailable { bytes in
            !bytes.isEmpty && bytes.reduce(0 as UInt8) { $0 | ($1 &- 0x20 > 0x5E ? 1 : 0) } == 0
        }
        return known ?? isVisibleText
    }
}

extension KeyedDecodingContainer {
    /// Decodes a token from a server or a store.
    /// - Throws: `DecodingError`, also for a malformed token.
    package func decodeToken(forKey key: Key) throws -> Secret {
        let text = try decode(String.self, forKey: key)
        guard text.isVisibleText else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: MalformedTokenError(name: key.stringValue).message)
        }
        return Secret(text)
    }

    /// Decodes a token; `nil` when the member is missing, `null` or empty.
    /// - Throws: `DecodingError`, also for a malformed token.
    package func decodeTokenIfPresent(forKey key: Key) throws -> Secret? {
        guard try decodeIfPresent(String.self, forKey: key)?.isEmpty == false else { return nil }
        return try decodeToken(forKey: key)
    }
}
