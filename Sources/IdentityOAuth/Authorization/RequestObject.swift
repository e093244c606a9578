import Foundation
import IdentityKit

/// Authorization requests that the client signs (RFC 9101), so that nobody can change one on its way through the browser.
enum RequestObject {
    /// The parameters to send for `request`: the signed ones inside `request`, and beside it those that make it a valid
    /// OAuth and OpenID Connect request to a reader that does not decode it (OpenID Connect Core section 6.1).
    /// - Throws: ``/IdentityCore/RandomnessError``, ``OAuthError/invalidSetting(_:)``.
    static func parameters(of request: AuthorizationRequest, signedBy signer: ClientAssertion) throws -> [FormField] {
        let fields = try request.parameters
        let object = try signer.requestObject(claims: claims(fields), clientID: request.clientID)
        let visible: Set = ["client_id", "response_type", "scope"]
        return fields.filter { visible.contains($0.name) } + [FormField("request", object.reveal())]
    }

    /// The parameters as claims: numbers and JSON values keep their type, and a repeated parameter becomes an array
    /// (RFC 9101 section 4).
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
