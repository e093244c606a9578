import IdentityKit

/// Why a registration of a client must not be used (RFC 7591 section 3.2.1).
public enum InvalidRegistrationReason: Sendable, Equatable {
    /// The server registers no clients.
    case notSupported
    /// The server refused to register the client. Transient if it failed or asked to wait, whatever the error code.
    case refused(ErrorResponse)
    /// The registered redirect URI is not the requested one.
    case redirectURIReplaced
    /// The registered authentication method needs credentials that the server did not issue.
    case unsupportedAuthentication(ClientAuthenticationMethod)
    /// The secret that the server gave the client has expired already.
    case expired
    /// The client that began the session is no longer stored here.
    case unknownClient
    /// The registration has no address at which it can be read, changed or deleted (RFC 7592).
    case notManageable
}

extension InvalidRegistrationReason: ErrorReason {
    var code: String {
        switch self {
        case .notSupported: "registration_not_supported"
        case .refused(let refusal): refusal.error.rawValue.isEmpty ? "registration_refused" : refusal.code
        case .redirectURIReplaced: "registration_redirect_uri_replaced"
        case .unsupportedAuthentication: "registration_unsupported_authentication"
        case .expired: "registration_expired"
        case .unknownClient: "registration_unknown_client"
        case .notManageable: "registration_not_manageable"
        }
    }

    var failureClass: FailureClass {
        guard case .refused(let refusal) = self, let status = refusal.status else { return .definitive }
        return status >= 500 || [408, 425, 429].contains(status) ? .transient : .definitive
    }

    var message: String {
        switch self {
        case .notSupported:
            "The server registers no clients by itself. Register one with its operator, and give its identifier: by the "
                + "setting \"clientID\", or with --client-id beside --resource."
        case .refused(let refusal):
            "The server does not register this app (\(refusal.status.map { "HTTP status \($0), " } ?? "")\(code))."
                + (failureClass == .transient ? " Try again later." : "") + refusal.quotation
        case .redirectURIReplaced:
            "The server registered another redirect URI than this app has, so no sign-in would come back. It was refused."
        case .unsupportedAuthentication(let method):
            "The server registered a client that authenticates by \(sanitized(method.rawValue)), and gave it nothing to do so."
        case .expired: "The server gave this app a secret that has expired already."
        case .unknownClient: "The client that began this session is no longer registered. Sign in again."
        case .notManageable: "The server has no place where this registration can be read, changed or deleted."
        }
    }
}
