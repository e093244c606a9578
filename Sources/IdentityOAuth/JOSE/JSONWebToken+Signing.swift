import Foundation
import IdentityKit

extension JSONWebToken {
    /// Creates a signed JWT in compact form (RFC 7515 section 7.1).
    /// - Parameters:
    ///   - header: the members of the header except `alg`, which is added.
    ///   - claims: the members of the payload.
    ///   - algorithm: the `alg` of the header.
    ///   - sign: returns the signature over the bytes of the first two parts with the dot between them.
    /// - Throws: what `sign` throws, or ``OAuthError/invalidSetting(_:)`` for a number that JSON cannot write, such as `nan`.
    static func signed(
        header: [String: JSONValue], claims: [String: JSONValue], by algorithm: SigningAlgorithm,
        _ sign: (Data) throws -> Data
    ) throws -> Secret {
        let header = header.merging(["alg": .string(algorithm.rawValue)]) { $1 }
        let parts = try [header, claims].map { Base64URL.encode(try JSONValue.object($0).serialized()) }
        let input = parts.joined(separator: ".")
        return Secret(input + "." + Base64URL.encode(try sign(Data(input.utf8))))
    }
}
