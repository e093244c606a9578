/// Why a registration of a client must not be used (RFC 7591 section 3.2.1).
public enum InvalidRegistrationReason: Sendable, Equatable {
    /// The server registers no clients.
    case notSupported
    /// The server registered another redirect URI than the one that was asked for.
    case redirectURIReplaced
    /// The client is to authenticate in a way that needs more than the server gave it.
    case unsupportedAuthentication(ClientAuthenticationMethod)
    /// The secret that the server gave the client has expired already.
    case expired
    /// The client that began a session is not known here any more.
    case unknownClient
    /// The server has no place where this registration is read, changed or deleted (RFC 7592).
    case notManageable
}

extension InvalidRegistrationReason: ErrorReason {
    var code: String {
        switch self {
        case .notSupported: "registration_not_supported"
        case .redirectURIReplaced: "registration_redirect_uri_replaced"
        case .unsupportedAuthentication: "registration_unsupported_authentication"
        case .expired: "registration_expired"
        case .unknownClient: "registration_unknown_client"
        case .notManageable: "registration_not_manageable"
        }
    }

    var message: String {
        switch self {
        case .notSupported:
            "The server registers no clients by itself. Register one with its operator, and configure its identifier."
        case .redirectURIReplaced:
            "The server registered another redirect URI than this app has, so no sign-in would come back. It was refused."
        case .unsupportedAuthentication(let method):
            "The server registered a client that authenticates by \(sanitized(method.rawValue)), and gave it nothing to do so."
        case .expired: "The server gave this app a secret that has expired already."
        case .unknownClient: "The client that began this session is not registered any more. Sign in again."
        case .notManageable: "The server has no place where this registration can be read, changed or deleted."
        }
    }
}
