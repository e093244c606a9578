import Foundation
import IdentityKit

extension JSONWebToken {
    /// A JWT with `claims`, in compact form (RFC 7515 section 7.1).
    /// - Parameters:
    ///   - header: members of the header beside `alg`.
    ///   - claims: members of the payload.
    ///   - algorithm: the `alg` of the header.
    ///   - sign: signs the first two parts.
    /// - Throws: what `sign` throws, ``OAuthError/invalidSetting(_:)`` for a number that JSON does not have.
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
