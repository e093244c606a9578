/// Hints for ``ThunderIDClient/buildSignInURL(options:)``.
public struct SignInOptions: Sendable, Hashable {
    /// What the server may show: `login`, `consent`, `select_account`, `none`, several separated by spaces.
    public var prompt: String?
    /// Whom to sign in. Servers up to version 1.0 do not look at it.
    public var loginHint: String?
    /// The identity provider to go to. Servers up to version 1.0 do not look at it.
    public var fidp: String?
    /// How old the sign-in may be, in seconds; the ID token must prove it.
    public var maxAge: Int?
    /// The authentication classes that are acceptable, best first; the ID token must carry one of them.
    public var acrValues: [String]
    /// The API the access token is for, an absolute URI (RFC 8707). Scopes beyond OpenID Connect need one.
    public var resource: String?
    /// Other parameters. One that the protocol uses is refused.
    public var extra: [String: String]

    /// Hints.
    public init(
        prompt: String? = nil, loginHint: String? = nil, fidp: String? = nil, maxAge: Int? = nil,
        acrValues: [String] = [], resource: String? = nil, extra: [String: String] = [:]
    ) {
        self.prompt = prompt
        self.loginHint = loginHint
        self.fidp = fidp
        self.maxAge = maxAge
        self.acrValues = acrValues
        self.resource = resource
        self.extra = extra
    }
}

/// What a sign-out does beyond ending the session here.
public struct SignOutOptions: Sendable, Hashable {
    /// The ID token that tells the server whom to sign out; `nil` takes the session's own.
    public var idTokenHint: String?
    /// Whether a failed revocation throws, once the session here is over. Otherwise it is only reported.
    public var requiresRevocation: Bool

    /// Options.
    public init(idTokenHint: String? = nil, requiresRevocation: Bool = false) {
        self.idTokenHint = idTokenHint
        self.requiresRevocation = requiresRevocation
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
                "extra": extra.namesAlone,
            ])
    }
}

extension SignOutOptions: CustomReflectable {
    /// Shows no token.
    public var customMirror: Mirror { Mirror(self, showing: ["requiresRevocation": requiresRevocation]) }
}
