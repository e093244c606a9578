import Foundation
import IdentityKit
import IdentityOAuth

/// Hints for ``ThunderIDClient/buildSignInURL(options:)``.
public struct SignInOptions: Sendable, Hashable {
    /// The value of `prompt`: `login`, `consent`, `select_account`, `none`, or several separated by spaces.
    public var prompt: String?
    /// The person to sign in. Ignored by servers up to version 1.0.
    public var loginHint: String?
    /// The identity provider to use. Ignored by servers up to version 1.0.
    public var fidp: String?
    /// The greatest age of the sign-in in seconds; the ID token must prove it.
    public var maxAge: Int?
    /// The acceptable authentication classes, best first; the ID token must have one of them.
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

    /// Other parameters: `ui_locales`, whose languages are separated by spaces, and those that the protocol does not
    /// use. Names that the protocol uses are refused. A number or a boolean is sent as its text, an array or an object
    /// as JSON.
    public var extra: [String: Any] {
        get { others.mapValues(\.value) }
        set { others = newValue.mapValues(AnyCodable.init(_:)) }
    }
}

/// Parameters of the page in ``ThunderIDClient/signUpURL(options:)``.
public struct SignUpOptions: Sendable, Hashable {
    /// The application to register for; `nil` for the configured one.
    public var appId: String?
    private var others: [String: AnyCodable]

    /// Creates options, by default none.
    public init(appId: String? = nil, extra: [String: Any] = [:]) {
        self.appId = appId
        others = extra.mapValues(AnyCodable.init(_:))
    }

    /// Other parameters, in the form of ``SignInOptions/extra``.
    public var extra: [String: Any] {
        get { others.mapValues(\.value) }
        set { others = newValue.mapValues(AnyCodable.init(_:)) }
    }
}

/// Options of a sign-out, besides ending the session here.
public struct SignOutOptions: Sendable, Hashable {
    /// The ID token that identifies the server's session, which then ends too; `nil` to leave that session alone.
    public var idTokenHint: String?
    /// Whether a failed revocation throws after the session has ended here, instead of being only reported.
    public var requiresRevocation: Bool
    private var others: [String: AnyCodable]

    public init(idTokenHint: String? = nil, requiresRevocation: Bool = false, extra: [String: Any] = [:]) {
        self.idTokenHint = idTokenHint
        self.requiresRevocation = requiresRevocation
        others = extra.mapValues(AnyCodable.init(_:))
    }

    /// Other parameters of the sign-out at the server, like ``SignInOptions/extra``. Names that the protocol uses are refused.
    public var extra: [String: Any] {
        get { others.mapValues(\.value) }
        set { others = newValue.mapValues(AnyCodable.init(_:)) }
    }
}

extension [String: Any] {
    /// The options as parameters of a request, sorted by name.
    var parameters: [FormField] {
        sorted { $0.key < $1.key }.compactMap { name, value in
            AnyCodable(value).json.parameter.map { FormField(name, $0) }
        }
    }
}

extension JSONValue {
    /// The value as a parameter's text; `nil` if it cannot be one.
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

extension SignInOptions: CustomReflectable {
    /// Shows the names of the extra parameters alone.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "prompt": prompt as Any,
                "loginHint": loginHint as Any,
                "fidp": fidp as Any,
                "maxAge": maxAge as Any,
                "acrValues": acrValues,
                "resource": resource as Any,
                "extra": others.namesAlone,
            ])
    }
}

extension SignOutOptions: CustomReflectable {
    /// Shows no token, and the names of the extra parameters alone.
    public var customMirror: Mirror {
        Mirror(self, showing: ["requiresRevocation": requiresRevocation, "extra": others.namesAlone])
    }
}

extension SignUpOptions: CustomReflectable {
    /// Shows the names of the extra parameters alone.
    public var customMirror: Mirror { Mirror(self, showing: ["appId": appId as Any, "extra": others.namesAlone]) }
}
