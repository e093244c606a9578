import IdentityKit

/// The reason why a client cannot be registered, or its registration cannot be used (RFC 7591 section 3.2).
public enum InvalidRegistrationReason: Sendable, Equatable {
    /// The server's metadata has no `registration_endpoint`.
    case notSupported
    /// The server refused to register the client. The refusal is transient for the HTTP statuses 408, 425, 429, and 500 or
    /// above, whatever its error code, and definitive otherwise.
    case refused(ErrorResponse)
    /// The registration lacks a redirect URI that was requested.
    case redirectURIReplaced
    /// The client cannot authenticate by the registered method: the method is not `none`, and either the server issued no
    /// secret, or the method is neither `client_secret_basic` nor `client_secret_post`.
    case unsupportedAuthentication(method: String)
    /// The secret that the server has just issued has expired already (`client_secret_expires_at`).
    case expired
    /// The client that began the session or the flow is not in the store.
    case unknownClient
    /// The registration cannot be read, changed or deleted, because the server issued no `registration_client_uri` that may
    /// be used, or no `registration_access_token` (RFC 7592 section 3).
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
            "The server registered a client that authenticates by \(sanitized(method)), and gave it nothing to do so."
        case .expired: "The server gave this app a secret that has expired already."
        case .unknownClient: "The client that began this session is no longer registered. Sign in again."
        case .notManageable: "The server has no place where this registration can be read, changed or deleted."
        }
    }
}
