import Foundation
import IdentityKit
import IdentityOAuth

/// Options of an authorization request, for ``ThunderIDClient/buildSignInURL(options:)``,
/// ``ThunderIDClient/signInURL(options:sessionId:)`` and
/// ``ThunderIDClient/signInWithBrowser(options:sessionId:browser:)``.
public struct SignInOptions: Sendable, Hashable {
    /// The value of `prompt`: `login`, `consent`, `select_account`, `none`, or several separated by spaces.
    public var prompt: String?
    /// The user name or e-mail address of the person to sign in (`login_hint`). Servers up to version 1.0 ignore it.
    public var loginHint: String?
    /// The identity provider at which to sign in, sent as `fidp`. Servers up to version 1.0 ignore it.
    public var fidp: String?
    /// The greatest age in seconds of the person's last authentication (`max_age`). The sign-in fails if the ID token
    /// has no `auth_time`, or an `auth_time` that is longer ago.
    public var maxAge: Int?
    /// The acceptable authentication classes, best first (`acr_values`). The sign-in fails unless the ID token has one
    /// of them.
    public var acrValues: [String]
    /// The API that the access token is for, as an absolute URI (RFC 8707). Required for scopes beyond OpenID Connect.
    public var resource: String?
    private var others: [String: AnyCodable]

    public init(
        prompt: String? = nil, loginHint: String? = nil, fidp: String? = nil, maxAge: Int? = nil,
        acrValues: [String] = [], resource: String? = nil, extra: [String: Any] = [:]
    ) {
        self.prompt = prompt
        self.loginHint = loginHint
        self.fidp = fidp
        self.maxAge = maxAge
        self.acrValues = acrValues
        self.resource = resource
        others = extra.mapValues(AnyCodable.init(_:))
    }

    /// Additional parameters by name. `ui_locales` sets the languages, separated by spaces; any other name that the
    /// protocol uses is refused. A number or Boolean is sent as text, an array or object as JSON; `null` is not sent.
    public var extra: [String: Any] {
        get { others.mapValues(\.value) }
        set { others = newValue.mapValues(AnyCodable.init(_:)) }
    }
}

/// Query parameters that ``ThunderIDClient/signUpURL(options:)`` adds to the app's own registration page.
public struct SignUpOptions: Sendable, Hashable {
    /// The application to register for; `nil` for ``ThunderIDConfig/applicationId``.
    public var appId: String?
    private var others: [String: AnyCodable]

    /// Creates options; without arguments, only the configured parameters are added.
    public init(appId: String? = nil, extra: [String: Any] = [:]) {
        self.appId = appId
        others = extra.mapValues(AnyCodable.init(_:))
    }

    /// Additional query parameters by name, converted to texts as in ``SignInOptions/extra``.
    public var extra: [String: Any] {
        get { others.mapValues(\.value) }
        set { others = newValue.mapValues(AnyCodable.init(_:)) }
    }
}

/// Options of ``ThunderIDClient/signOut(options:sessionId:)``. The session in the app ends whatever the options.
public struct SignOutOptions: Sendable, Hashable {
    /// The ID token that identifies the server's session, which then ends too; `nil` to leave that session alone.
    public var idTokenHint: String?
    /// Whether the sign-out throws if the revocation or the server's sign-out flow fails. The session in the app has
    /// ended by then. With `false`, such a failure is not thrown.
    public var requiresRevocation: Bool
    private var others: [String: AnyCodable]

    public init(idTokenHint: String? = nil, requiresRevocation: Bool = false, extra: [String: Any] = [:]) {
        self.idTokenHint = idTokenHint
        self.requiresRevocation = requiresRevocation
        others = extra.mapValues(AnyCodable.init(_:))
    }

    /// Additional parameters of the request that starts the sign-out flow, converted as in ``SignInOptions/extra``.
    /// They are sent only with ``idTokenHint``. A name that the protocol uses, even `ui_locales`, makes the request
    /// fail.
    public var extra: [String: Any] {
        get { others.mapValues(\.value) }
        set { others = newValue.mapValues(AnyCodable.init(_:)) }
    }
}

extension [String: Any] {
    /// The entries as request parameters, sorted by name. Values that have no text, such as `null`, are omitted.
    var parameters: [FormField] {
        sorted { $0.key < $1.key }.compactMap { name, value in
            AnyCodable(value).json.parameter.map { FormField(name, $0) }
        }
    }
}

extension JSONValue {
    /// The text of the value in a request: a string unchanged, any other value as JSON; `nil` for `null` and for a
    /// number that JSON cannot express.
    fileprivate var parameter: String? {
        switch self {
        case .null: return nil
        case .string(let text): return text
        case .bool, .integer, .number, .array, .object:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension SignInOptions: Reticent {
    /// Shows the names of the extra parameters without their values.
    package var shown: KeyValuePairs<String, Any> {
        [
            "prompt": prompt as Any,
            "loginHint": loginHint as Any,
            "fidp": fidp as Any,
            "maxAge": maxAge as Any,
            "acrValues": acrValues,
            "resource": resource as Any,
            "extra": others.namesAlone,
        ]
    }
}

extension SignOutOptions: Reticent {
    /// Shows neither the ID token nor the values of the extra parameters.
    package var shown: KeyValuePairs<String, Any> {
        ["requiresRevocation": requiresRevocation, "extra": others.namesAlone]
    }
}

extension SignUpOptions: Reticent {
    /// Shows the names of the extra parameters without their values.
    package var shown: KeyValuePairs<String, Any> { ["appId": appId as Any, "extra": others.namesAlone] }
}
