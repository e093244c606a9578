import IdentityKit

/// Optional parameters of a sign-in request besides its scopes. A server ignores or refuses a parameter that it does not know.
public struct AuthorizationOptions: Sendable, Hashable {
    /// A hint about the person who should sign in, such as an e-mail address (OpenID Connect Core section 3.1.2.1).
    public var loginHint: String?
    /// The languages of the server's pages as BCP 47 tags, best first.
    public var uiLocales: [String] = []
    /// The requested authentication context classes (`acr_values`), best first.
    public var acrValues: [String] = []
    /// The greatest age of the person's last authentication, in seconds. If the authentication is older, the person has
    /// to sign in again.
    public var maxAge: Int?
    /// The API that the access token is for, in the parameter `audience` of Auth0 and other servers.
    public var audience: String?
    /// The resources that the access tokens are for, as absolute URIs without a fragment (RFC 8707 section 2). Token requests
    /// name them as well.
    public var resources: [String] = []
    /// The requested access, in more detail than scopes can express. Each element is an object with a `type` (RFC 9396).
    public var authorizationDetails: [JSONValue] = []

    public init() {}

    /// Checks that every option can be sent.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` if a language or class is empty or contains a space, the age is negative, a
    ///   resource is not an absolute URI or has a fragment, or an authorization detail lacks its `type`.
    package func check() throws {
        _ = try AuthorizationRequest.words("ui_locales", uiLocales)
        _ = try AuthorizationRequest.words("acr_values", acrValues)
        if let maxAge, maxAge < 0 { throw OAuthError.invalidSetting(.invalidParameter("max_age")) }
        // Accept only absolute URIs without a fragment (RFC 8707 section 2).
        guard resources.allSatisfy({ URLParts($0)?.fragment == nil && URLParts($0) != nil }) else {
            throw OAuthError.invalidSetting(.invalidParameter("resource"))
        }
        guard authorizationDetails.allSatisfy({ $0["type"]?.stringValue?.isEmpty == false }) else {
            throw OAuthError.invalidSetting(.invalidParameter("authorization_details"))
        }
    }

    /// Returns the rule that ``check()`` applies to one option, to validate the setting for that option.
    static func rule<Value>(_ option: WritableKeyPath<AuthorizationOptions, Value>) -> SettingRule<Value> {
        SettingRule { value in
            var options = AuthorizationOptions()
            options[keyPath: option] = value
            try options.check()
        }
    }

    /// Returns the options that a device authorization request sends, as parameters. The other options matter only for
    /// a sign-in in a browser.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when an option cannot be sent.
    func deviceParameters() throws -> [FormField] {
        try check()
        return try FormField.list([
            "acr_values": AuthorizationRequest.words("acr_values", acrValues), "audience": audience,
            "authorization_details": detailsParameter(),
        ]) + resourceParameters
    }

    /// The resources as parameters of an authorization or token request, one `resource` for each (RFC 8707 section 2).
    var resourceParameters: [FormField] { resources.map { FormField("resource", $0) } }

    /// Returns the value of the parameter `authorization_details`, a JSON array (RFC 9396 section 2); `nil` if there are none.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a number that JSON cannot express.
    func detailsParameter() throws -> String? {
        guard !authorizationDetails.isEmpty else { return nil }
        return String(decoding: try JSONValue.array(authorizationDetails).serialized(), as: UTF8.self)
    }
}

extension AuthorizationOptions: Reticent {
    /// Leaves out the login hint and the authorization details, which may contain personal data.
    package var shown: KeyValuePairs<String, Any> {
        [
            "uiLocales": uiLocales, "acrValues": acrValues, "maxAge": maxAge as Any,
            "audience": audience?.addressAlone as Any,
            "resources": resources.map(\.addressAlone),
        ]
    }
}
