/// The reason why the response to a sign-in, or the return from a sign-out, must not be used. All reasons are
/// definitive, because the same response never becomes usable.
public enum InvalidCallbackReason: Sendable, Equatable {
    /// The URL or the form body cannot be parsed, or has an authorization code or error with a forbidden character.
    case malformed
    /// The URL is not the redirect URI of the flow: its scheme, host, port or path differs, or a parameter of the
    /// redirect URI's query is missing.
    case redirectMismatch
    /// The URL names a user, as in `https://user@host/`, which no redirect URI does.
    case containsUserInfo
    /// The parameter of this name occurs twice (RFC 6749 section 3.1).
    case repeatedParameter(String)
    /// The fragment contains parameters of a response, which the authorization code flow puts into the query or a form.
    /// In the fragment, only an error is accepted, and only if the query contains no response.
    case parametersInFragment
    /// The response contains a token, as in the implicit flow, which RFC 9700 section 2.1.2 advises against.
    case containsToken
    /// No sign-in or sign-out that was started here waits for this response.
    case unknownFlow
    /// The sign-in was finished or given up, perhaps in another process.
    case flowOver
    /// A later sign-in has replaced the one that this response belongs to.
    case flowReplaced
    /// The person has signed out since the sign-in was started.
    case signedOut
    /// An error with this code came without a `state`. Any app or page can send such a response, so every waiting
    /// sign-in continues.
    case unconfirmedError(String)
    case stateMissing
    /// The `state` is not that of the flow, so the response belongs to another flow.
    case stateMismatch
    /// The lifetime of the flow, ten minutes by default, is over.
    case flowExpired
    /// The response has no `iss`, although the server promised one (RFC 9207 section 2.4).
    case issuerMissing
    /// The `iss` differs from the issuer of the flow, so the response comes from another server (RFC 9207 section 2.4).
    case issuerMismatch(expected: String, received: String)
    /// The response has neither an authorization code nor an error.
    case codeMissing
}

extension InvalidCallbackReason: ErrorReason {
    var code: String {
        switch self {
        case .malformed: "callback_malformed"
        case .redirectMismatch: "callback_redirect_mismatch"
        case .containsUserInfo: "callback_contains_userinfo"
        case .repeatedParameter: "callback_repeated_parameter"
        case .parametersInFragment: "callback_parameters_in_fragment"
        case .containsToken: "callback_contains_token"
        case .unknownFlow: "callback_unknown_flow"
        case .flowOver: "callback_flow_over"
        case .flowReplaced: "callback_flow_replaced"
        case .signedOut: "callback_signed_out"
        case .unconfirmedError: "callback_unconfirmed_error"
        case .stateMissing: "callback_state_missing"
        case .stateMismatch: "callback_state_mismatch"
        case .flowExpired: "callback_flow_expired"
        case .issuerMissing: "callback_issuer_missing"
        case .issuerMismatch: "callback_issuer_mismatch"
        case .codeMissing: "callback_code_missing"
        }
    }

    var message: String {
        switch self {
        case .malformed: "The sign-in returned something that cannot be read. Sign in again."
        case .redirectMismatch: "The sign-in returned to another address than the one it was asked to."
        case .containsUserInfo: "The sign-in returned to an address that names a user. It was refused."
        case .repeatedParameter(let name): "The sign-in returned the parameter \(sanitized(name)) twice. Sign in again."
        case .parametersInFragment: "The sign-in returned its result in the URL fragment, which is not accepted."
        case .containsToken: "The sign-in returned a token in the URL. It was refused, because URLs leak."
        case .unknownFlow: "No sign-in is waiting for this callback. Sign in again."
        case .flowOver: "This sign-in is over already. Sign in again, unless you are signed in."
        case .flowReplaced: "A later sign-in has taken the place of this one. Finish that one, or sign in again."
        case .signedOut: "You have signed out since this sign-in was started. Sign in again."
        case .unconfirmedError(let code):
            "Somebody reported \(sanitized(code)), unconfirmed: every app and page can. The sign-in goes on."
        case .stateMissing: "The sign-in returned no state, so it cannot be matched to this app. Sign in again."
        case .stateMismatch: "The sign-in that returned is not the one that was started. Sign in again."
        case .flowExpired: "The sign-in took too long. Sign in again."
        case .issuerMissing: "The sign-in does not say which server it comes from. It was refused."
        case .issuerMismatch(let expected, let received):
            "The sign-in comes from \(sanitized(received)) instead of \(sanitized(expected)). It was refused."
        case .codeMissing: "The sign-in returned neither a code nor an error. Sign in again."
        }
    }
}
