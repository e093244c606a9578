import Foundation
import IdentityKit

/// A public key in JWK form (RFC 7517), such as a client sends or registers to prove its identity.
struct PublicJWK: Sendable {
    private enum Key: Sendable {
        case rsa(RSAPublicKey)
        case curve(SigningCurve, CurvePublicKey)
    }

    private let key: Key
    let id: String?
    /// The SHA-256 thumbprint of the key (RFC 7638 section 3), in base64url.
    let thumbprint: String

    /// Reads an RSA, EC or Ed25519 key; `nil` for a private or symmetric key, a malformed key, or another type or curve.
    init?(_ json: JSONValue) {
        func bytes(_ name: String) -> Data? { json[name]?.stringValue.flatMap { Base64URLText.decode($0) } }
        guard json["d"] == nil, json["k"] == nil, let type = json["kty"]?.stringValue else { return nil }
        let members: [String]
        switch (type, json["crv"]?.stringValue) {
        case ("RSA", _):
            guard let modulus = bytes("n"), let exponent = bytes("e"),
                let rsa = try? RSAPublicKey(modulus: modulus, exponent: exponent)
            else { return nil }
            key = .rsa(rsa)
            members = ["e", "kty", "n"]
        case ("EC", let name?):
            guard let curve = Self.curves[name], let x = bytes("x"), let y = bytes("y"), x.count == y.count,
                let point = try? CurvePublicKey(curve, point: x + y)
            else { return nil }
            key = .curve(curve, point)
            members = ["crv", "kty", "x", "y"]
        case ("OKP", "Ed25519"):
            guard let x = bytes("x"), let point = try? CurvePublicKey(.ed25519, point: x) else { return nil }
            key = .curve(.ed25519, point)
            members = ["crv", "kty", "x"]
        default:
            return nil
        }
        id = json["kid"]?.stringValue
        let content = members.reduce(into: [String: JSONValue]()) { $0[$1] = json[$1] }
        thumbprint = TokenSigner.base64URL(sha256(LocalResponse.json(.object(content)).body))
    }

    private static let curves: [String: SigningCurve] = ["P-256": .p256, "P-384": .p384, "P-521": .p521]

    func accepts(_ signature: Data, over message: Data, algorithm name: String) -> Bool {
        let algorithm = LocalOpenIDConnectServer.SigningAlgorithm(rawValue: name == "Ed25519" ? "EdDSA" : name)
        switch (key, algorithm) {
        case (.rsa(let key), let algorithm?) where algorithm.curve == nil:
            return key.accepts(signature, over: message, padding: algorithm.padding, hash: algorithm.hash)
        case (.curve(let curve, let key), let algorithm?) where algorithm.curve == curve:
            return key.accepts(signature, over: message)
        default:
            return false
        }
    }
}

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5).
enum Base64URLText {
    static func decode(_ text: some StringProtocol) -> Data? {
        let base64 = text.utf8.map { digits[Int($0)] }
        return Data(base64Encoded: Data(base64 + repeatElement(UInt8(ascii: "="), count: (4 - base64.count % 4) % 4)))
    }

    /// Converts each byte of base64url to the byte of base64 with the same meaning. A byte that base64url does not allow but
    /// the base64 decoder could accept, such as `+` and `=`, becomes 0, which the decoder refuses.
    private static let digits: [UInt8] = (0...UInt8.max).map { byte in
        switch byte {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: "+/= \n\r".utf8.contains(byte) ? 0 : byte
        }
    }
}
