import Foundation
import IdentityKit

/// Signs and verifies the JWTs of the local InsForge and ThunderID servers.
///
/// The code is independent of the clients' JWT code, so that a test fails if only one of the two has a mistake.
struct TokenSigner: Sendable {
    enum Key: Sendable {
        /// A key pair. An RSA key signs with RS256, and a P-256 key with ES256.
        case pair(KeyPair)
        case secret(Data)
    }

    let key: Key
    let keyID: String?

    /// Returns a signed token with the given claims.
    /// - Parameter typ: the media type in the header (RFC 7519 section 5.1).
    func sign(_ claims: [String: JSONValue], typ: String = "JWT") throws -> String {
        var header: [String: JSONValue] = ["alg": .string(algorithmName), "typ": .string(typ)]
        if let keyID { header["kid"] = .string(keyID) }
        let signingInput = Self.segment(.object(header)) + "." + Self.segment(.object(claims))
        return try signingInput + "." + Self.base64URL(signature(over: signingInput))
    }

    /// Returns the header and claims of a token with a valid signature by ``key``; `nil` for any other text. Neither
    /// `kid` nor the expiry is checked.
    func verify(_ token: String) -> (header: JSONValue, claims: JSONValue)? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, accepts(parts[2], over: parts[0] + "." + parts[1]),
            let header = Self.decodeSegment(parts[0]), let claims = Self.decodeSegment(parts[1])
        else { return nil }
        return (header, claims)
    }

    private func accepts(_ signature: Substring, over input: String) -> Bool {
        if case .pair(.curve(let key)) = key {
            return Base64URLText.decode(signature).map { key.publicKey.accepts($0, over: Data(input.utf8)) } ?? false
        }
        // RS256 and HS256 are deterministic: a signature is valid if it equals a new signature over the same input.
        return (try? self.signature(over: input)).map(Self.base64URL) == String(signature)
    }

    /// The public key as a JWK; `nil` for a shared secret or without a ``keyID``.
    var publicJWK: JSONValue? {
        guard let keyID, case .pair(let pair) = key else { return nil }
        let members: [String: JSONValue] = ["use": "sig", "alg": .string(algorithmName), "kid": .string(keyID)]
        return .object(pair.publicMembers.merging(members) { $1 })
    }

    private var algorithmName: String {
        switch key {
        case .pair(.rsa): "RS256"
        case .pair(.curve): "ES256"
        case .secret: "HS256"
        }
    }

    private func signature(over input: some StringProtocol) throws -> Data {
        switch key {
        case .pair(let pair): try pair.signature(over: Data(input.utf8))
        case .secret(let secret): hmacSHA256(Data(input.utf8), key: secret)
        }
    }

    private static func segment(_ value: JSONValue) -> String { base64URL(LocalResponse.json(value).body) }

    private static func decodeSegment(_ text: some StringProtocol) -> JSONValue? {
        Base64URLText.decode(text).flatMap { try? JSONValue(parsing: $0) }
    }

    /// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5).
    static func base64URL(_ bytes: Data) -> String {
        bytes.base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}

enum LocalIdentifiers {
    /// Returns `byteCount` random bytes in lowercase hexadecimal.
    static func hex(byteCount: Int) -> String { hex(randomBytes(byteCount)) }

    /// Returns `bytes` in lowercase hexadecimal, two digits for each byte.
    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Returns `byteCount` random bytes in base64url.
    static func base64URL(byteCount: Int) -> String { TokenSigner.base64URL(Data(randomBytes(byteCount))) }

    /// Returns a UUID in lowercase that sorts by `date` (version 7, RFC 9562 section 5.7).
    static func uuid7(at date: Date) -> String {
        let milliseconds = UInt64(max(0, date.timeIntervalSince1970) * 1000)
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * $0)) } + randomBytes(10)
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        let lengths = [8, 4, 4, 4, 12]
        var rest = hex(bytes)[...]
        return lengths.map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}
