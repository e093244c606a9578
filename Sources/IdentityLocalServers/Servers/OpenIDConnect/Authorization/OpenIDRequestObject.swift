import Foundation
import IdentityKit

/// Authorization requests that the client has signed (RFC 9101).
extension OpenIDCall {
    /// Returns the parameters of an authorization request. If the client authenticates by `private_key_jwt` and sends a request
    /// object, they are only those of the object (RFC 9101 section 6.3). For any other request, they are the sent parameters.
    /// - Throws: ``OpenIDRequestError`` for an invalid object. The error has no callback, because the object's redirect URI is
    ///   not reliable.
    func parameters(
        _ sent: [LocalRequest.Parameter], of client: LocalOpenIDConnectServer.Client
    ) throws -> [LocalRequest.Parameter] {
        guard let object = sent.first(where: { $0.name == "request" })?.value,
            case .privateKeyJWT(let keys) = client.authentication
        else { return sent }
        guard let message = SignedMessage(object), isRequest(message, of: client.id, keys) else {
            throw OpenIDRequestError("invalid_request_object", "The request object is not valid")
        }
        let own: Set = ["iss", "aud", "exp", "nbf", "iat", "jti"]
        return (message.claims.objectValue ?? [:]).filter { !own.contains($0.key) }
            .sorted { $0.key < $1.key }
            .flatMap { name, value in Self.texts(value).map { LocalRequest.Parameter(name: name, value: $0) } }
    }

    private func isRequest(_ message: SignedMessage, of clientID: String, _ keys: [JSONValue]) -> Bool {
        let claims = message.claims
        return message.header["typ"]?.stringValue == "oauth-authz-req+jwt"
            && claims["iss"]?.stringValue == clientID && claims["client_id"]?.stringValue == clientID
            && claims["aud"]?.stringValue == backend.issuer && claims["sub"] == nil
            && claims["request"] == nil && claims["request_uri"] == nil
            && AssertionLifetime.isValid(claims, at: backend.now(behaviour))
            && keys.compactMap(PublicJWK.init).contains { message.isSigned(by: $0) }
    }

    /// Returns the parameter values for a claim: a string itself, the digits of a whole number, the elements of a nonempty
    /// array of strings, and the JSON of any other value.
    private static func texts(_ value: JSONValue) -> [String] {
        if let text = value.stringValue { return [text] }
        if let number = value.numberValue.flatMap({ Int64(exactly: $0) }) { return [String(number)] }
        let texts = value.arrayValue?.compactMap(\.stringValue) ?? []
        if !texts.isEmpty, texts.count == value.arrayValue?.count { return texts }
        return [String(decoding: LocalResponse.json(value).body, as: UTF8.self)]
    }
}
