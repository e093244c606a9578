import Foundation
import IdentityKit

/// Finds out which client asks (RFC 6749 section 2.3, RFC 7523 section 2.2).
struct OpenIDClientAuthenticator: Sendable {
    private enum Proof {
        case none
        case basic(Secret)
        case post(Secret)
        case assertion(SignedMessage)
    }

    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    let call: OpenIDCall

    /// The client.
    /// - Throws: ``OpenIDFailure``
    func client() throws -> LocalOpenIDConnectServer.Client {
        let (clientID, proof) = try credentials()
        guard let client = call.backend.client(clientID) else { throw refusal }
        switch (client.authentication, proof) {
        case (.none, .none): return client
        case (.basic(let secret), .basic(let sent)) where secret == sent: return client
        case (.post(let secret), .post(let sent)) where secret == sent: return client
        case (.privateKeyJWT(let keys), .assertion(let assertion)):
            try check(assertion, of: clientID, keys: keys.compactMap(PublicJWK.init))
            return client
        default: throw refusal
        }
    }

    private func credentials() throws -> (clientID: String, Proof) {
        let sentID = call.field("client_id")
        let sentSecret = call.field("client_secret")
        let assertion = call.field("client_assertion")
        let header = call.request.header("Authorization")
        guard [sentSecret, assertion, header].compactMap({ $0 }).count <= 1 else {
            throw OpenIDFailure.oauth("invalid_request", "More than one way of client authentication was used")
        }
        if let header {
            let (clientID, secret) = try basicCredentials(header)
            guard sentID == nil || sentID == clientID else { throw refusal }
            return (clientID, .basic(secret))
        }
        if let assertion {
            guard call.field("client_assertion_type") == Self.assertionType, let message = SignedMessage(assertion),
                let subject = message.claims["sub"]?.stringValue, sentID == nil || sentID == subject
            else { throw refusal }
            return (subject, .assertion(message))
        }
        guard let sentID else { throw OpenIDFailure.oauth("invalid_request", "client_id is missing") }
        return (sentID, sentSecret.map { .post(Secret($0)) } ?? .none)
    }

    private func basicCredentials(_ header: String) throws -> (clientID: String, secret: Secret) {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let decoded = Data(base64Encoded: String(parts[1])).map({ String(decoding: $0, as: UTF8.self) }),
            let colon = decoded.firstIndex(of: ":")
        else { throw refusal }
        return (
            formDecoded(decoded[..<colon]), Secret(formDecoded(decoded[decoded.index(after: colon)...]))
        )
    }

    /// Both halves are form-encoded before they are joined (RFC 6749 section 2.3.1).
    private func formDecoded(_ text: Substring) -> String {
        LocalRequest.decodeForm("v=\(text)").first?.value ?? ""
    }

    /// RFC 7523 section 3.
    private func check(_ assertion: SignedMessage, of clientID: String, keys: [PublicJWK]) throws {
        let claims = assertion.claims
        let backend = call.backend
        let audiences = claims["aud"]?.arrayValue?.compactMap(\.stringValue) ?? [claims["aud"]?.stringValue ?? ""]
        let accepted = [backend.issuer, backend.baseURL + OpenIDEndpoints.token]
        guard claims["iss"]?.stringValue == clientID,
            audiences.contains(where: accepted.contains),
            AssertionLifetime.isValid(claims, at: backend.now(call.behaviour)),
            let id = claims["jti"]?.stringValue,
            keys.contains(where: { isNamed($0, by: assertion) && assertion.isSigned(by: $0) }),
            backend.usedAssertions.withLock({ $0.insert(id).inserted })
        else { throw refusal }
    }

    /// Whether `kid`, when there is one, means this key.
    private func isNamed(_ key: PublicJWK, by assertion: SignedMessage) -> Bool {
        guard let name = assertion.header["kid"]?.stringValue, let id = key.id else { return true }
        return name == id
    }

    /// A client that used the header is told which scheme is right (RFC 6749 section 5.2).
    private var refusal: OpenIDFailure {
        let challenge = [(name: "WWW-Authenticate", value: "Basic realm=\"clients\"")]
        return .oauth(
            status: 401, error: "invalid_client", description: "The client authentication failed",
            headers: call.request.header("Authorization") == nil ? [] : challenge)
    }
}

extension OpenIDCall {
    /// The client that asks.
    /// - Throws: ``OpenIDFailure``
    func authenticatedClient() throws -> LocalOpenIDConnectServer.Client {
        try OpenIDClientAuthenticator(call: self).client()
    }
}
