import Foundation
import IdentityKit
import IdentityStoreFormat

/// A request for claims about the person who signed in (OpenID Connect Core section 5.3).
package struct UserInfoRequest: Sendable {
    package let userinfoEndpoint: URL
    /// The access token, granted with the scope `openid`.
    package let accessToken: Secret
    package let client: OAuthClient
    /// The prover of the key that the token is bound to; `nil` for a bearer token.
    package let dpop: DPoPProver?

    private static let signedType = "application/jwt"

    package init(userinfoEndpoint: URL, accessToken: Secret, client: OAuthClient, dpop: DPoPProver? = nil) {
        self.userinfoEndpoint = userinfoEndpoint
        self.accessToken = accessToken
        self.client = client
        self.dpop = dpop
    }

    /// Creates the request, a GET or a POST as ``RequestFormat/userInfoMethod`` of the client requires.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint is not allowed or the key of the token cannot
    ///   sign, `MalformedTokenError`, or `RandomnessError`.
    package func urlRequest() throws -> URLRequest {
        try client.transportSecurity.require(userinfoEndpoint)
        var request = URLRequest.json(from: userinfoEndpoint)
        request.setValue("application/json, application/jwt", forHTTPHeaderField: "Accept")
        return try client.requestFormat.userInfo(request, presenting: accessToken, dpop: dpop)
    }

    /// Reads a response in JSON.
    /// - Parameters:
    ///   - data: the body.
    ///   - response: the head.
    ///   - subject: the `sub` of the verified ID token, which the response must repeat. `nil` if the server issued no
    ///     ID token. The response then identifies the person, so the access token must come directly from the token
    ///     endpoint.
    /// - Throws: ``OAuthError/refused(_:)``, ``OAuthError/invalidResponse(_:host:)`` (also for a signed response), or
    ///   ``OAuthError/invalidUserInfo(_:)`` when the response's `sub` is missing or is not `subject`.
    package func userInfo(from data: Data, _ response: HTTPURLResponse, subject: String?) throws -> UserInfo {
        dpop?.learn(from: response)
        let received = HTTPResponse(data, response, limit: ResponseSize.withProfile)
        // If the content type promises a signed JWT, do not read the body as plain JSON, which is not signed.
        if received.contentType == Self.signedType, response.statusCode == 200 {
            throw received.unusable(.wrongContentType(Self.signedType))
        }
        return try UserInfo(claims: received.object(), writtenIn: data, subject: subject)
    }

    /// Reads a response in JSON or in a signed JWT.
    /// - Parameters:
    ///   - data: the body.
    ///   - response: the head.
    ///   - subject: the `sub` of the verified ID token; `nil` as in ``userInfo(from:_:subject:)``.
    ///   - issuer: the issuer of the person's ID tokens. If a signed response has an `iss`, it must be this issuer. If a signed
    ///     response has an `aud`, it must contain the client.
    ///   - keys: the server's keys; fetched for a signed response only.
    /// - Throws: as ``userInfo(from:_:subject:)``. For a signed response also ``OAuthError/invalidToken(_:)`` when the
    ///   JWT is malformed, or its signature is wrong or cannot be verified, ``OAuthError/invalidUserInfo(_:)`` for
    ///   another type, issuer or audience, and what fetching the keys throws.
    package func userInfo(
        from data: Data, _ response: HTTPURLResponse, subject: String?, issuer: String, keys: JWKSCache
    ) async throws -> UserInfo {
        dpop?.learn(from: response)
        let received = HTTPResponse(data, response, limit: ResponseSize.withProfile)
        guard received.contentType == Self.signedType, response.statusCode == 200 else {
            return try UserInfo(claims: received.object(), writtenIn: data, subject: subject)
        }
        let token = try JSONWebToken(Secret(String(decoding: data, as: UTF8.self)))
        try await keys.verify(token.message, by: SignatureVerifier())
        if let type = token.explicitType { throw OAuthError.invalidUserInfo(.wrongType(type)) }
        if token.claims["iss"] != nil, token.issuer?.hasBytes(of: issuer) != true {
            throw OAuthError.invalidUserInfo(.issuerMismatch)
        }
        if token.claims["aud"] != nil, token.audience?.containsBytes(of: client.id) != true {
            throw OAuthError.invalidUserInfo(.audienceMismatch)
        }
        return try UserInfo(claims: token.claims, writtenIn: token.message.payload, subject: subject)
    }

    /// Sends the request and reads the response.
    /// - Throws: ``OAuthError``, `MalformedTokenError`, `RandomnessError`, `CancellationError`, or what the transport
    ///   throws.
    package func send(
        using transport: any HTTPTransport, subject: String?, issuer: String, keys: JWKSCache
    ) async throws -> UserInfo {
        try await client.send(proving: dpop, using: transport, upTo: ResponseSize.withProfile, urlRequest) {
            data, response in
            try await HTTPResponse(data, response).namingItself { _ in
                try await userInfo(from: data, response, subject: subject, issuer: issuer, keys: keys)
            }
        }
    }
}

/// Claims about a person (OpenID Connect Core section 5.1).
public struct UserInfo: Sendable, Hashable {
    /// The `sub` of the person, equal to the `sub` of the ID token if the server issued one.
    public let subject: String
    public let claims: [String: JSONValue]

    /// - Parameter document: the text from which the claims were decoded. It distinguishes `7` from `7.0`, which are
    ///   equal as values.
    /// - Throws: ``OAuthError/invalidUserInfo(_:)`` if `sub` is missing, empty, longer than 255 bytes, or not exactly
    ///   `subject`. Claims with another `sub` are about another person (OpenID Connect Core section 5.3.2). A whole number
    ///   equals a `subject` with the same digits, because some servers write `sub` as a number only in userinfo. Without a
    ///   `subject`, a number is refused.
    init(claims: [String: JSONValue], writtenIn document: Data = Data(), subject: String?) throws {
        let isNumber = subject != nil && claims["sub"]?.integerValue != nil
        let number = isNumber ? Self.digits(of: "sub", in: document) : nil
        guard let received = claims["sub"]?.stringValue ?? number, 1...255 ~= received.utf8.count,
            received.hasBytes(of: subject ?? received)
        else { throw OAuthError.invalidUserInfo(.subjectMismatch) }
        self.subject = received
        self.claims = claims
    }

    /// Returns the digits of a member as the document writes them; `nil` unless the member is a whole number such as `7`.
    private static func digits(of member: String, in document: Data) -> String? {
        var reader = JSONReader(Array(document))
        var digits: String?
        try? reader.members { name, reader throws(JSONReader.SyntaxError) in
            guard name == member, reader.kind() == .number else { return try reader.skip() }
            if case .integer(let number) = try reader.number() { digits = "\(number)" }
        }
        return digits
    }
}

extension UserInfo: Reticent {
    /// Shows the subject, and only the names of the claims.
    package var shown: KeyValuePairs<String, Any> { ["subject": subject, "claims": claims.namesAlone] }
}
