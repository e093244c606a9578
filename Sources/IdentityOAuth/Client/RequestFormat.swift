import Foundation
import IdentityKit

/// The deviations from the RFCs that a server wants in requests. They change the form of a request, never its recipient
/// or its secrets.
public struct RequestFormat: Sendable, Hashable {
    /// The HTTP method of a request for user info (OpenID Connect Core section 5.3.1).
    public enum Method: String, Sendable, Codable, CaseIterable {
        /// A GET, which most servers accept.
        case get = "GET"
        /// A POST with an empty body, which some servers require.
        case post = "POST"
    }

    /// The name of the client identifier in addresses and forms, such as `client_key`.
    public var clientIDName = "client_id"
    /// The name of the client secret in forms.
    public var clientSecretName = "client_secret"
    /// The name of the scopes in the requests of a sign-in on another device (RFC 8628 sections 3.1 and 3.4). If the
    /// name is not `scope`, the polling requests contain the scopes too.
    public var deviceScopeName = "scope"
    /// Whether the client's identifier and secret are form-encoded in `Authorization: Basic` (RFC 6749 section 2.3.1).
    /// Many servers do not decode them. Set it to `false` for such a server if either contains more than letters,
    /// digits and `*-._`.
    public var encodesBasic = true
    /// The method of requests for user info and for ``AccountSource/request(_:headers:identifier:profile:)``.
    public var userInfoMethod = Method.get
    /// The scheme before a bearer token in requests for user info and for
    /// ``AccountSource/request(_:headers:identifier:profile:)``, such as `OAuth`. Bearer tokens in other requests always
    /// have the scheme `Bearer`.
    public var userInfoScheme = "Bearer"

    /// Creates the form that the RFCs prescribe, without any deviation.
    public init() {}

    /// Returns `fields` with the server's names for the client's identifier and secret.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when another field already has the name that the server uses for one
    ///   of them.
    func named(_ fields: [FormField]) throws -> [FormField] {
        let names = ["client_id": clientIDName, "client_secret": clientSecretName].filter { $0.key != $0.value }
        try requireUnreserved(fields, beside: [], reserved: Set(names.values))
        return fields.map { FormField(names[$0.name] ?? $0.name, $0.value) }
    }

    /// The value of the `Authorization` header for HTTP Basic authentication.
    func basic(_ id: String, _ secret: Secret) -> String {
        let parts = [id, secret.reveal()].map { encodesBasic ? FormEncoding.encode($0) : $0 }
        return "Basic " + Data(parts.joined(separator: ":").utf8).base64EncodedString()
    }

    /// Returns `request` with the method ``userInfoMethod`` and the access token. Without `dpop`, the token follows
    /// ``userInfoScheme`` as a bearer token. With `dpop`, a proof of the token's key accompanies the token (RFC 9449).
    /// - Throws: `MalformedTokenError`, or, for a proof, ``OAuthError/invalidSetting(_:)`` or `RandomnessError`.
    func userInfo(_ request: URLRequest, presenting token: Secret, dpop: DPoPProver?) throws -> URLRequest {
        var request = request
        request.httpMethod = userInfoMethod.rawValue
        if userInfoMethod == .post { request.httpBody = Data() }
        request = try request.presenting(token, dpop: dpop)
        if dpop == nil, userInfoScheme != "Bearer" {
            request.setValue("\(userInfoScheme) \(token.reveal())", forHTTPHeaderField: "Authorization")
        }
        return request
    }
}

extension RequestFormat: Decodable {
    /// Reads the settings that are named like the properties. Each of them is optional.
    /// - Throws: ``/IdentityKit/ConfigurationError``, also for a parameter name that a request already uses.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        clientIDName = try settings.read(
            "clientIDName", means: "The name of the client identifier in addresses and forms.", example: "client_key",
            default: "client_id")
        clientSecretName = try settings.read(
            "clientSecretName", means: "The name of the client secret in forms.", example: "secret",
            default: "client_secret")
        deviceScopeName = try settings.read(
            "deviceScopeName", means: "The name of the scopes in the requests of a sign-in on another device.",
            example: "scopes", default: "scope")
        encodesBasic = try settings.read(
            "encodesBasic", means: "Whether identifier and secret are form-encoded in HTTP Basic, as RFC 6749 says.",
            example: false, default: true)
        userInfoMethod = try settings.read(
            "userInfoMethod", means: "How it is asked who has signed in.", example: "POST", default: "GET")
        userInfoScheme = try settings.read(
            "userInfoScheme",
            SettingRule { scheme in
                guard scheme.wholeMatch(of: /[A-Za-z][A-Za-z0-9-]*/) == nil else { return }
                throw SettingError("It must be one word, such as token.")
            }, means: "What stands before the token where it is asked who has signed in.", example: "OAuth",
            default: "Bearer")
        for (key, name, own) in [
            ("clientIDName", clientIDName, "client_id"), ("clientSecretName", clientSecretName, "client_secret"),
            ("deviceScopeName", deviceScopeName, "scope"),
        ] where name != own {
            let field = [FormField(name, "")]
            let isFree =
                (try? AuthorizationRequest.checkExtraParameters(field)) != nil
                && (try? TokenRequest.checkExtraParameters(field)) != nil
            guard name.isUnquotedWord, isFree, Set([clientIDName, clientSecretName, deviceScopeName]).count == 3
            else {
                throw settings.mistake(key, "It must be a name that nothing else in a request has.")
            }
        }
    }
}
