import Foundation
import IdentityKit

/// Creates authorization requests that the client signs (RFC 9101), so that nobody can change their parameters on the
/// way through the browser.
enum RequestObject {
    /// Returns the parameters to send: the parameter `request`, a JWT with all parameters of the authorization request,
    /// and unsigned copies of `client_id`, `response_type` and `scope`, which OpenID Connect requires outside the JWT
    /// (OpenID Connect Core section 6.1).
    /// - Throws: `RandomnessError`, or ``OAuthError/invalidSetting(_:)`` when a parameter cannot be sent or the key
    ///   cannot sign.
    static func parameters(of request: AuthorizationRequest, signedBy signer: ClientAssertion) throws -> [FormField] {
        let fields = try request.parameters
        let object = try signer.requestObject(claims: claims(fields), clientID: request.clientID)
        let visible: Set = ["client_id", "response_type", "scope"]
        return fields.filter { visible.contains($0.name) } + [FormField("request", object.reveal())]
    }

    /// Returns the parameters as claims (RFC 9101 section 4). `max_age` becomes a number, `authorization_details`
    /// becomes JSON, a repeated parameter such as `resource` becomes an array (RFC 8707 section 2), and every other one
    /// becomes a string.
    private static func claims(_ fields: [FormField]) throws -> [String: JSONValue] {
        try Dictionary(grouping: fields, by: \.name).mapValues { fields in
            guard fields.count == 1, let field = fields.first else { return .array(fields.map { .string($0.value) }) }
            switch field.name {
            case "max_age": return Int64(field.value).map(JSONValue.integer) ?? .string(field.value)
            case "authorization_details": return try JSONValue(parsing: Data(field.value.utf8))
            default: return .string(field.value)
            }
        }
    }
}
