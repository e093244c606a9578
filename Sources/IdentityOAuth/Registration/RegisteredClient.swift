import Foundation
import IdentityKit

/// A client as a server has registered it (RFC 7591 section 3.2.1). The client may have a secret, so keep it only in a
/// store that encrypts its content.
package struct RegisteredClient: Sendable, Hashable, Codable {
    package let id: String
    /// The secret by which a confidential client authenticates; `nil` for a public client.
    package let secret: Secret?
    /// The time from which the server refuses the secret; `nil` if the secret does not expire, or there is none. The distant
    /// past if the server's number is no date, so that the secret counts as expired.
    package let secretExpiresAt: Date?
    /// The registered authentication method, which may differ from the requested one.
    package let authenticationMethod: ClientAuthenticationMethod
    /// The requested redirect URIs. A response is refused if it has a list of redirect URIs that lacks one of them. Additional
    /// URIs in such a list are not kept.
    package let redirectURIs: [String]
    /// The endpoint at which the registration is read, changed and deleted (RFC 7592); `nil` if the response has none, or
    /// its address is unacceptable.
    package internal(set) var configurationEndpoint: URL?
    package internal(set) var registrationAccessToken: Secret?

    /// Whether the client has no secret, or one that has not expired at `now`.
    package func isUsable(at now: Date) -> Bool { secretExpiresAt.map { now < $0 } ?? true }

    /// Creates a client that authenticates with the issued secret by the registered method, or not at all without a secret.
    package func client(transportSecurity: TransportSecurity = .httpsOnly) -> OAuthClient {
        let authentication: ClientAuthentication =
            switch (authenticationMethod, secret) {
            case (.clientSecretPost, let secret?): .clientSecretPost(secret)
            case (.clientSecretBasic, let secret?): .clientSecretBasic(secret)
            default: .none
            }
        return OAuthClient(id: id, authentication: authentication, transportSecurity: transportSecurity)
    }

    /// Reads the client from the response to a request that registers, reads or changes it.
    /// - Parameters:
    ///   - response: the response of the server.
    ///   - metadata: the metadata of the request, which supplies the redirect URIs, and the authentication method if the
    ///     response has none.
    ///   - transportSecurity: decides whether the address of the configuration endpoint is acceptable.
    /// - Throws: ``OAuthError/refused(_:)``, ``OAuthError/invalidResponse(_:host:)``, and
    ///   ``OAuthError/invalidRegistration(_:)`` when the server replaced a redirect URI, or the client cannot authenticate
    ///   by the registered method.
    init(_ response: HTTPResponse, for metadata: ClientMetadata, transportSecurity: TransportSecurity) throws {
        // RFC 7591 requires 201; RFC 7592 and older servers use 200.
        let object = try response.object(statuses: [200, 201])
        id = try response.requiredString("client_id", in: object)
        guard id.isVisibleText else { throw response.unusable(.invalidMember("client_id")) }
        secret = try response.optionalToken("client_secret", in: object)
        let expiry = object["client_secret_expires_at"]?.numberValue ?? 0
        secretExpiresAt = secret == nil || expiry == 0 ? nil : Date(outsideSecondsSince1970: expiry) ?? .distantPast
        // Servers that leave out the method usually mean the requested one, not the default of RFC 7591.
        let method =
            try response.optionalString("token_endpoint_auth_method", in: object)
            .map(ClientAuthenticationMethod.init(rawValue:)) ?? metadata.authenticationMethod
        guard method == .none || secret != nil && [.clientSecretBasic, .clientSecretPost].contains(method) else {
            throw OAuthError.invalidRegistration(.unsupportedAuthentication(method: method.rawValue))
        }
        authenticationMethod = method
        redirectURIs = metadata.redirectURIs.map(\.absoluteString)
        // A server may replace requested values (RFC 7591 section 3.2.1). With another redirect URI, it would send
        // authorization responses to another address.
        let registered = object["redirect_uris"]?.arrayValue?.compactMap(\.stringValue)
        guard redirectURIs.allSatisfy({ registered?.containsBytes(of: $0) ?? true }) else {
            throw OAuthError.invalidRegistration(.redirectURIReplaced)
        }
        configurationEndpoint = try response.optionalString("registration_client_uri", in: object).flatMap {
            URL(string: $0).flatMap { transportSecurity.allows($0) ? $0 : nil }
        }
        registrationAccessToken = try response.optionalToken("registration_access_token", in: object)
    }
}

extension RegisteredClient: Reticent {
    /// Shows neither the secret nor the registration access token, and addresses without their queries.
    package var shown: KeyValuePairs<String, Any> {
        [
            "id": id, "authenticationMethod": authenticationMethod.rawValue,
            "redirectURIs": redirectURIs.map(\.addressAlone), "secretExpiresAt": secretExpiresAt as Any,
            "configurationEndpoint": configurationEndpoint?.addressAlone as Any,
        ]
    }
}
