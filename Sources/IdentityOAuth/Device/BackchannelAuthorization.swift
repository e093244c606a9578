import Foundation
import IdentityKit

/// The person whom a server asks to confirm a sign-in (OpenID Connect CIBA Core section 7.1).
public enum BackchannelHint: Sendable, Hashable {
    /// The name or address that the person signs in with.
    case login(String)
    /// An ID token of the person.
    case idToken(Secret)
}

/// A sign-in that waits for a person to confirm it on a device of theirs, after a message there (OpenID Connect CIBA Core
/// section 7.3, poll mode).
public struct BackchannelAuthorization: Sendable, Hashable, Codable {
    /// Identifier of the request, with which this device polls the server.
    package let requestID: Secret
    /// When the request ends, by this machine's clock.
    public let expiresAt: Date
    /// The shortest time between two polls, in seconds.
    package let interval: Int
    /// The scopes that were asked for.
    public let scopes: [String]

    init(_ received: HTTPResponse, scopes: [String], receivedAt: Date) throws {
        let object = try received.object()
        requestID = try received.requiredToken("auth_req_id", in: object)
        let times = try PollingTimes(received, in: object, receivedAt: receivedAt)
        (expiresAt, interval) = (times.expiresAt, times.interval)
        self.scopes = scopes
    }
}

/// Starts a sign-in that a person confirms on a device of theirs (OpenID Connect CIBA Core section 7.1).
package struct BackchannelAuthorizationRequest: Sendable {
    /// The backchannel authentication endpoint.
    package let endpoint: URL
    package let client: OAuthClient
    /// The person to ask.
    package let person: BackchannelHint
    /// The scopes to ask for.
    package let scopes: [String]
    /// The text that both devices show.
    package let bindingMessage: String?

    /// Creates a request for one person, by default without a text to compare.
    package init(
        endpoint: URL, client: OAuthClient, person: BackchannelHint, scopes: [String], bindingMessage: String? = nil
    ) {
        self.endpoint = endpoint
        self.client = client
        self.person = person
        self.scopes = scopes
        self.bindingMessage = bindingMessage
    }

    /// The request to send.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint or a scope is not allowed.
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

    /// Sends the request and reads the response.
    /// - Throws: ``OAuthError``, or what the transport throws.
    package func send(
        using transport: any HTTPTransport, time: TimeSource = .system
    ) async throws -> BackchannelAuthorization {
        try await client.send(proving: nil, using: transport, urlRequest) { data, response in
            try BackchannelAuthorization(HTTPResponse(data, response), scopes: scopes, receivedAt: time.now)
        }
    }
}

extension BackchannelAuthorizationRequest: CustomReflectable {
    /// Shows neither the person nor the message.
    package var customMirror: Mirror {
        Mirror(self, showing: ["endpoint": endpoint.addressAlone, "client": client, "scopes": scopes])
    }
}
