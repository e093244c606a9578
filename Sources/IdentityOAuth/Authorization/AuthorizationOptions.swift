import IdentityKit

/// Parameters of a sign-in request besides its scopes. A server ignores or refuses the ones it does not know.
public struct AuthorizationOptions: Sendable, Hashable {
    /// The person to sign in, such as an e-mail address (OpenID Connect Core section 3.1.2.1).
    public var loginHint: String?
    /// The languages of the server's pages as BCP 47 tags, best first.
    public var uiLocales: [String] = []
    /// The authentication classes asked for, best first.
    public var acrValues: [String] = []
    /// The greatest age of the sign-in in seconds; after that the person has to sign in again.
    public var maxAge: Int?
    /// The service the token is for, in the parameter `audience` of Auth0 and other servers.
    public var audience: String?
    /// The resources the tokens are for, as absolute URIs (RFC 8707). Token requests name them as well.
    public var resources: [String] = []
    /// Requested access in more detail than a scope has, each an object with a `type` (RFC 9396).
    public var authorizationDetails: [JSONValue] = []

    public init() {}

    /// Checks that every option can be sent.
    /// - Throws: ``OAuthError/invalidSetting(_:)``.
    public func check() throws {
        _ = try AuthorizationRequest.words("ui_locales", uiLocales)
        _ = try AuthorizationRequest.words("acr_values", acrValues)
        if let maxAge, maxAge < 0 { throw OAuthError.invalidSetting(.invalidParameter("max_age")) }
        // Absolute URIs without fragment (RFC 8707 section 2).
        guard resources.allSatisfy({ URLParts($0)?.fragment == nil && URLParts($0) != nil }) else {
            throw OAuthError.invalidSetting(.invalidParameter("resource"))
        }
        guard authorizationDetails.allSatisfy({ $0["type"]?.stringValue?.isEmpty == false }) else {
            throw OAuthError.invalidSetting(.invalidParameter("authorization_details"))
        }
    }

    /// The rule that ``check()`` applies to one option, for validating a setting.
    static func rule<Value>(_ option: WritableKeyPath<AuthorizationOptions, Value>) -> SettingRule<Value> {
        SettingRule { value in
            var options = AuthorizationOptions()
            options[keyPath: option] = value
            try options.check()
        }
    }

    /// Parameters that device and token requests send too.
    /// - Throws: ``OAuthError/invalidSetting(_:)``.
    func deviceParameters() throws -> [FormField] {
        try check()
        return try FormField.list([
            "acr_values": AuthorizationRequest.words("acr_values", acrValues), "audience": audience,
            "authorization_details": detailsParameter(),
        ]) + resourceParameters
    }

    /// The resources in the form of a token request (RFC 8707 section 2.2).
    var resourceParameters: [FormField] { resources.map { FormField("resource", $0) } }

    /// `authorization_details` (RFC 9396 section 2).
    func detailsParameter() throws -> String? {
        guard !authorizationDetails.isEmpty else { return nil }
        return String(decoding: try JSONValue.array(authorizationDetails).serialized(), as: UTF8.self)
    }
}

extension AuthorizationOptions: CustomReflectable {
    /// Leaves out the login hint and the authorization details, which are about a person.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "uiLocales": uiLocales, "acrValues": acrValues, "maxAge": maxAge as Any,
                "audience": audience?.addressAlone as Any,
                "resources": resources.map(\.addressAlone),
            ])
    }
}
