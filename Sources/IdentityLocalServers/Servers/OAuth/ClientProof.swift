import Foundation
import IdentityKit

/// How a client proves who it is (RFC 6749 section 2.3, RFC 7523 section 2.2).
enum ClientProof {
    case none
    case basic(Secret)
    case post(Secret)
    case assertion(SignedMessage)

    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
}

extension LocalRequest {
    /// What `Authorization` holds under `scheme`; `nil` for another scheme or none. Schemes are compared without regard to
    /// case (RFC 9110 section 11.1).
    func credentials(_ scheme: String) -> String? {
        let parts = (header("Authorization") ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == scheme.lowercased() else { return nil }
        return String(parts[1])
    }

    /// The client identifier and the secret of `Authorization: Basic`. Both are form-encoded before they are joined
    /// (RFC 6749 section 2.3.1).
    var basicCredentials: (clientID: String, secret: String)? {
        guard let bytes = credentials("Basic").flatMap({ Data(base64Encoded: $0) }) else { return nil }
        let halves = String(decoding: bytes, as: UTF8.self)
            .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { Self.decodeForm("v=\($0)").first?.value ?? "" }
        return halves.count == 2 ? (halves[0], halves[1]) : nil
    }
}
