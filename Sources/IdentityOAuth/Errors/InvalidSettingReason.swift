/// A mistake in a setting or an argument. Definitive: only a change of the setting helps.
public enum InvalidSettingReason: Sendable, Equatable {
    /// The issuer is not an absolute `https` URL, or has a user, a query or a fragment. Plain `http` is possible only on this
    /// machine, and only where the settings allow it. Also for a multi-tenant issuer without exactly one placeholder.
    case invalidIssuer(String)
    /// An endpoint is not an `https` URL with a host. Plain `http` is possible only on this machine, and only where the
    /// settings allow it.
    case insecureEndpoint(host: String)
    /// The redirect URI is not absolute, has a fragment or a user, or is `http` on another host than this machine. Also if
    /// a browser is to show a flow that has no redirect URI.
    case invalidRedirectURI
    /// An extra parameter, or one in the query of an endpoint, has a name that the protocol uses itself.
    case reservedParameter(String)
    /// A code verifier is not 43 to 128 unreserved characters (RFC 7636 section 4.1).
    case invalidCodeVerifier
    /// The named parameter cannot be used: its value breaks the rule of the protocol, or the operation does not support it.
    case invalidParameter(String)
    /// A private key is malformed, absent, of an unknown kind, or does not fit its algorithm, or the platform does not sign
    /// with it.
    case unusableKey
    /// The server or a setting requires signed authorization requests (RFC 9101), and the client does not authenticate by
    /// `private_key_jwt`, whose key would sign them.
    case unsignedRequest
    /// The client secret has less than 32 bytes, so it must not sign by HMAC with SHA-256 (RFC 7518 section 3.2).
    case shortSecret
    /// A private key is so weak that others can sign with it; see ``InvalidTokenReason/weakKey``.
    case weakKey
}

extension InvalidSettingReason: ErrorReason {
    var code: String {
        switch self {
        case .invalidIssuer: "setting_invalid_issuer"
        case .insecureEndpoint: "setting_insecure_endpoint"
        case .invalidRedirectURI: "setting_invalid_redirect_uri"
        case .reservedParameter: "setting_reserved_parameter"
        case .invalidCodeVerifier: "setting_invalid_code_verifier"
        case .invalidParameter: "setting_invalid_parameter"
        case .unusableKey: "setting_unusable_key"
        case .unsignedRequest: "setting_unsigned_request"
        case .shortSecret: "setting_short_secret"
        case .weakKey: "setting_weak_key"
        }
    }

    var message: String {
        switch self {
        case .invalidIssuer(let issuer):
            "\(sanitized(issuer)) is no issuer: it must be an https URL without query and fragment."
        case .insecureEndpoint(let host):
            "\(sanitized(host)) must be reached over https. Plain http is possible only on this machine, "
                + "and only when it is allowed explicitly."
        case .invalidRedirectURI:
            "The redirect URI must be absolute, without fragment, and either https, an app's own scheme, or http on "
                + "this machine."
        case .reservedParameter(let name):
            "The extra parameter \(sanitized(name)) belongs to the protocol. Leave it out."
        case .invalidCodeVerifier: "A code verifier has 43 to 128 characters out of A-Z a-z 0-9 - . _ ~."
        case .invalidParameter(let name): Self.rules[name] ?? "The value of \(sanitized(name)) is not allowed."
        case .unusableKey: "The private key is malformed, of an unknown kind, or does not fit its algorithm."
        case .unsignedRequest: "The server wants signed authorization requests (RFC 9101). Give the client a key."
        case .shortSecret:
            "A secret that signs for client_secret_jwt has at least 32 bytes. Ask the server for a longer one, or send it as "
                + "client_secret_basic."
        case .weakKey:
            "The private key is of a flawed generator (CVE-2017-15361), or its exponent is below 65536. Make a new one."
        }
    }

    /// The messages for invalid parameters, by the name of the parameter. A parameter without an entry gets a general message.
    private static let rules = [
        "client_id": "client_id has a character that cannot be sent. Write it as the server shows it.",
        "dpop": "The token is bound to a key (DPoP), which cannot be proved here. Leave bindsTokens out.",
        "grant_type": "The grant \"password\" must not be used (RFC 9700). Let the person sign in at the server.",
        "max_age": "max_age must be 0 or more seconds.",
        "prompt": "The words of prompt are without blanks, and none stands alone.",
        "resource": "A resource must be an absolute URL without fragment.",
        "scope": "A scope is empty, or has a blank, a quotation mark or a backslash. Write each scope by itself.",
    ]
}
