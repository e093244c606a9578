import Foundation
import IdentityKit

/// A JWS in compact form that a client sent (RFC 7515 section 7.1). The signature is not verified yet.
struct SignedMessage: Sendable {
    let header: JSONValue
    let claims: JSONValue
    private let signingInput: Data
    private let signature: Data

    /// Decodes a JWS; `nil` if the text is malformed, the payload is not a JSON object, or the header has `crit`.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Base64URLText.decode(parts[0]).flatMap({ try? JSONValue(parsing: $0) }),
            let claims = Base64URLText.decode(parts[1]).flatMap({ try? JSONValue(parsing: $0) }),
            let signature = Base64URLText.decode(parts[2]), header.objectValue != nil, claims.objectValue != nil,
            header["crit"] == nil
        else { return nil }
        (self.header, self.claims, self.signature) = (header, claims, signature)
        signingInput = Data((parts[0] + "." + parts[1]).utf8)
    }

    /// Whether `alg` is `HS256` and the signature is valid for `secret` (RFC 7518 section 3.2).
    func isSigned(with secret: Secret) -> Bool {
        header["alg"] == "HS256" && hmacSHA256(signingInput, key: Data(secret.reveal().utf8)) == signature
    }

    /// The values of `aud`, which is a string or an array of strings (RFC 7519 section 4.1.3). A missing `aud` counts as an
    /// empty string.
    var audiences: [String] {
        claims["aud"]?.arrayValue?.compactMap(\.stringValue) ?? [claims["aud"]?.stringValue ?? ""]
    }

    func isSigned(by key: PublicJWK) -> Bool {
        guard let algorithm = header["alg"]?.stringValue else { return false }
        return key.accepts(signature, over: signingInput, algorithm: algorithm)
    }
}
