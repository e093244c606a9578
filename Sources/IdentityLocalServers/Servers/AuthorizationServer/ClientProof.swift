import Foundation
import IdentityKit

/// The credentials by which a client authenticates (RFC 6749 section 2.3, RFC 7523 section 2.2).
enum ClientProof {
    case none
    case basic(Secret)
    case post(Secret)
    case assertion(SignedMessage)

    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
}

/// The reason why a request does not identify its client.
enum ClientProofError: Error {
    case missingClientID
    case severalMethods
    /// The client identifiers in the form and in `Authorization` differ.
    case otherClientID
    case unusable
}

extension LocalRequest {
    /// The client identifier and the credentials in the form or in `Authorization`. The credentials are not checked yet.
    func clientCredentials() throws(ClientProofError) -> (clientID: String, proof: ClientProof) {
        let (id, secret) = (formValue("client_id").nonEmpty, formValue("client_secret").nonEmpty)
        let (assertion, header) = (formValue("client_assertion").nonEmpty, header("Authorization").nonEmpty)
        guard [secret, assertion, header].compactMap({ $0 }).count <= 1 else { throw .severalMethods }
        if header != nil {
            guard let (clientID, secret) = basicCredentials else { throw .unusable }
            guard !clientID.isEmpty else { throw .missingClientID }
            guard !secret.isEmpty else { throw .unusable }
            guard id == nil || id == clientID else { throw .otherClientID }
            return (clientID, .basic(Secret(secret)))
        }
        if let assertion {
            guard formValue("client_assertion_type") == ClientProof.assertionType,
                let message = SignedMessage(assertion), let clientID = id ?? message.claims["sub"]?.stringValue
            else { throw .unusable }
            return (clientID, .assertion(message))
        }
        guard let id else { throw .missingClientID }
        return (id, secret.map { .post(Secret($0)) } ?? .none)
    }

    /// The credentials in `Authorization` for `scheme`; `nil` for another scheme or without credentials. Schemes are
    /// compared without regard to case (RFC 9110 section 11.1).
    func credentials(_ scheme: String) -> String? {
        let parts = (header("Authorization") ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == scheme.lowercased() else { return nil }
        return String(parts[1])
    }

    /// The client identifier and the secret of `Authorization: Basic`; `nil` if they are missing or malformed. The client
    /// form-encodes both before joining them (RFC 6749 section 2.3.1).
    var basicCredentials: (clientID: String, secret: String)? {
        guard let bytes = credentials("Basic").flatMap({ Data(base64Encoded: $0) }) else { return nil }
        let halves = String(decoding: bytes, as: UTF8.self)
            .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { Self.decodeForm("v=\($0)").first?.value ?? "" }
        return halves.count == 2 ? (halves[0], halves[1]) : nil
    }
}
