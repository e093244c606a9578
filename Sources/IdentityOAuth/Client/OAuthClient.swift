import Foundation
import IdentityKit

/// An app as a client of one server: its identifier, its authentication, and the form and the security of its requests.
public struct OAuthClient: Sendable {
    /// The `client_id` at the server; empty for a client that is not registered yet, as from ``unregistered(_:)``.
    public var id: String
    /// The method by which the client authenticates, such as a secret or a signed token.
    public var authentication: ClientAuthentication
    /// Whether plain `http` to this machine is accepted.
    public var transportSecurity: TransportSecurity
    /// The deviations from the RFCs that the server wants in requests, such as other parameter names; none by default.
    public var requestFormat = RequestFormat()

    /// Creates a client, by default a public one that uses `https` only.
    public init(
        id: String, authentication: ClientAuthentication = .none, transportSecurity: TransportSecurity = .httpsOnly
    ) {
        self.id = id
        self.authentication = authentication
        self.transportSecurity = transportSecurity
    }

    /// Creates a client for an app that no server knows yet. The app gets an identifier at each server by
    /// ``ClientRegistration``.
    public static func unregistered(_ transportSecurity: TransportSecurity = .httpsOnly) -> OAuthClient {
        OAuthClient(id: "", transportSecurity: transportSecurity)
    }

    /// Names that no extra parameter may have, whatever authentication the client uses.
    static let reservedParameters: Set<String> = [
        "client_id", "client_secret", "client_assertion", "client_assertion_type",
    ]

    /// Returns an authenticated POST of `fields` to an endpoint of the server.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint, the client's identifier or the name of a field is
    ///   not allowed, or the key or secret cannot sign, `RandomnessError`.
    func request(to endpoint: URL, fields: [FormField]) throws -> URLRequest {
        try transportSecurity.require(endpoint)
        guard id.isEmpty || id.isVisibleText else { throw OAuthError.invalidSetting(.invalidParameter("client_id")) }
        // A pushed authorization request names the client among its own parameters.
        let isNamed = id.isEmpty || fields.contains { $0.name == "client_id" }
        let identifier = isNamed ? [] : [FormField("client_id", id)]
        func form(_ proof: [FormField]) throws -> URLRequest {
            .form(try requestFormat.named(fields + identifier + proof), to: endpoint)
        }
        switch authentication {
        case .none:
            return try form([])
        case .clientSecretPost(let secret):
            return try form([FormField("client_secret", secret.reveal())])
        case .signedSecret(let assertion):
            return try form([FormField("client_secret", assertion.token(clientID: id).reveal())])
        case .privateKeyJWT(let assertion), .clientSecretJWT(let assertion):
            return try form(ClientAssertion.fields(assertion.token(clientID: id)))
        case .assertion(let token):
            return try form(ClientAssertion.fields(token))
        case .clientSecretBasic(let secret):
            // No identifier is added to the body, because some servers take it there for a second authentication
            // method.
            var request = URLRequest.form(try requestFormat.named(fields), to: endpoint)
            request.setValue(requestFormat.basic(id, secret), forHTTPHeaderField: "Authorization")
            return request
        }
    }
}
