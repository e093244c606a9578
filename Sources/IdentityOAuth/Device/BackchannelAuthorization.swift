import Foundation
import IdentityKit

/// The person whom a server asks to confirm a sign-in (OpenID Connect CIBA Core section 7.1).
package enum BackchannelHint: Sendable, Hashable {
    /// The name or e-mail address that the person signs in with, sent as `login_hint`.
    case login(String)
    /// An ID token about the person that the server issued earlier, sent as `id_token_hint`.
    case idToken(Secret)
}

/// A sign-in that waits until a person confirms it on their own device, where the server shows a message (OpenID
/// Connect CIBA Core section 7.3, poll mode).
package struct BackchannelAuthorization: Sendable, Hashable, Codable {
    /// The identifier of the request (`auth_req_id`), with which this device polls the server.
    package let requestID: Secret
    /// The time at which the request expires, by this machine's clock; at most a day after the response arrived.
    package let expiresAt: Date
    /// The shortest time between two polls, in seconds.
    package let interval: Int
    /// The scopes of the request, which the server may grant only in part.
    package let scopes: [String]

    init(_ received: HTTPResponse, scopes: [String], receivedAt: Date) throws {
        let object = try received.object()
        requestID = try received.requiredToken("auth_req_id", in: object)
        let times = try PollingTimes(received, in: object, receivedAt: receivedAt)
        (expiresAt, interval) = (times.expiresAt, times.interval)
        self.scopes = scopes
    }
}

/// A request to start a sign-in that a person confirms on their own device (OpenID Connect CIBA Core section 7.1).
package struct BackchannelAuthorizationRequest: Sendable {
    /// The backchannel authentication endpoint.
    package let endpoint: URL
    package let client: OAuthClient
    /// The person whom the server asks to confirm the sign-in.
    package let person: BackchannelHint
    /// The scopes to request. OpenID Connect CIBA Core section 7.1 requires `openid` among them.
    package let scopes: [String]
    /// A short text that both devices show, so that the person can compare them; `nil` for none.
    package let bindingMessage: String?

    package init(
        endpoint: URL, client: OAuthClient, person: BackchannelHint, scopes: [String], bindingMessage: String? = nil
    ) {
        self.endpoint = endpoint
        self.client = client
        self.person = person
        self.scopes = scopes
        self.bindingMessage = bindingMessage
    }

    /// Returns the POST that starts the sign-in, with new authentication of the client.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint, the client's identifier or a scope is not
    ///   allowed, or the client's key or secret cannot sign; `RandomnessError`.
    package func urlRequest() throws -> URLRequest {
        let hint =
            switch person {
            case .login(let name): FormField("login_hint", name)
            case .idToken(let token): FormField("id_token_hint", token.reveal())
            }
        let fields = FormField.list([
            "scope": try scopeParameter(scopes), "binding_message": bindingMessage,
        ])
        return try client.request(to: endpoint, fields: fields + [hint])
    }

    /// Sends the request and returns the started sign-in. Its lifetime begins when the response arrives, by `time`.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    package func send(
        using transport: any HTTPTransport, time: TimeSource = .system
    ) async throws -> BackchannelAuthorization {
        try await client.send(proving: nil, using: transport, urlRequest) { data, response in
            try BackchannelAuthorization(HTTPResponse(data, response), scopes: scopes, receivedAt: time.now)
        }
    }
}

extension BackchannelAuthorizationRequest: Reticent {
    /// Shows neither the person nor the message.
    package var shown: KeyValuePairs<String, Any> {
        ["endpoint": endpoint.addressAlone, "client": client, "scopes": scopes]
    }
}
