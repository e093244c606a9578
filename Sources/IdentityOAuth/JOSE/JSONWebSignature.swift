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

    /// Splits `compact` into its parts.
    /// - Throws: ``OAuthError/invalidToken(_:)`` when it is too large, not three base64url parts, its header is not a
    ///   JSON object, names a member twice or a key by anything but a text, or when it is encrypted.
    package init(compact: String) throws {
        guard compact.utf8.count <= Self.maximumSize else {
            throw OAuthError.invalidToken(.tooLarge(limit: Self.maximumSize))
        }
        // An array, because finding the dots in the string's UTF-8 view takes several times as long.
        let bytes = Array(compact.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if parts.count == 5 { throw OAuthError.invalidToken(.encrypted) }
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { throw OAuthError.invalidToken(.malformed) }
        header = try Self.object(headerBytes, otherwise: .malformed)
        guard header["enc"] == nil else { throw OAuthError.invalidToken(.encrypted) }
        // A `kid` that is not a text still names a key (RFC 7515 section 4.1.4), so it does not count as absent.
        let keyID = header["kid"] ?? .null
        guard keyID == .null || keyID.stringValue != nil else { throw OAuthError.invalidToken(.malformed) }
        self.payload = payload
        self.signature = signature
        signingInput = Data(bytes[..<parts[1].endIndex])
    }

    /// The `kid` of the header.
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

extension JSONWebSignature: CustomReflectable {
    /// Shows the header's names only, because the rest is the token.
    package var customMirror: Mirror { Mirror(self, showing: ["header": header.namesAlone]) }
}
