import Foundation
import IdentityKit

/// A signed message in compact form (RFC 7515 section 7.1), split into its parts and not verified.
package struct JSONWebSignature: Sendable {
    /// The largest message that is decoded, in bytes.
    package static let maximumSize = 65_536

    package let header: [String: JSONValue]
    package let payload: Data
    /// The signed bytes: the first two parts with the dot between them.
    package let signingInput: Data
    package let signature: Data

    /// Splits `compact` into header, payload and signature.
    /// - Throws: ``OAuthError/invalidToken(_:)`` when the message is larger than ``maximumSize``, encrypted, or not three
    ///   base64url parts. Also when the header is not a JSON object, has a member twice, or has a `kid` that is not a string.
    package init(compact: String) throws {
        guard compact.utf8.count <= Self.maximumSize else {
            throw OAuthError.invalidToken(.tooLarge(limit: Self.maximumSize))
        }
        // Search for the dots in an array, because the search in the string's UTF-8 view takes several times as long.
        let bytes = Array(compact.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if parts.count == 5 { throw OAuthError.invalidToken(.encrypted) }
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { throw OAuthError.invalidToken(.malformed) }
        header = try Self.object(headerBytes, otherwise: .malformed)
        guard header["enc"] == nil else { throw OAuthError.invalidToken(.encrypted) }
        // A `kid` must be a string (RFC 7515 section 4.1.4). Any other value is refused, because the signer meant to name a
        // key. Only `null` counts as absent.
        let keyID = header["kid"] ?? .null
        guard keyID == .null || keyID.stringValue != nil else { throw OAuthError.invalidToken(.malformed) }
        self.payload = payload
        self.signature = signature
        signingInput = Data(bytes[..<parts[1].endIndex])
    }

    /// The `kid` of the header; `nil` if it is absent or `null`.
    package var keyID: String? { header["kid"]?.stringValue }

    static func object(_ data: Data, otherwise reason: InvalidTokenReason) throws -> [String: JSONValue] {
        do {
            return try StrictJSON.parseObject(data)
        } catch .duplicateMember(let name) {
            throw OAuthError.invalidToken(.duplicateMember(name))
        } catch {
            throw OAuthError.invalidToken(reason)
        }
    }
}

extension JSONWebSignature: Reticent {
    /// Shows only the names of the header's members, because everything else is part of the token.
    package var shown: KeyValuePairs<String, Any> { ["header": header.namesAlone] }
}
