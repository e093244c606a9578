/// The reason why an authorization request yields no authorization code, and the redirect URI to which the error is
/// sent.
struct AuthorizationRequestError: Error {
    let error: String
    let description: String
    /// The client's redirect URI, which receives the error; `nil` to show the error on the hosted error page.
    var redirectURI: String?
    var state: String?

    init(_ error: String, _ description: String) {
        self.error = error
        self.description = description
    }

    /// Returns a copy of the error for the redirect URI of `request`, so that the client gets the error.
    func told(to request: AuthorizationRequest) -> AuthorizationRequestError {
        told(at: request.redirectURI, state: request.state)
    }

    /// Returns a copy of the error for `redirectURI`, so that the client gets the error there.
    func told(at redirectURI: String, state: String?) -> AuthorizationRequestError {
        var copy = self
        copy.redirectURI = redirectURI
        copy.state = state
        return copy
    }

    /// The next address for the browser: the client's redirect URI with the error and `iss` (RFC 9207), or the hosted error
    /// page.
    func address(_ backend: ThunderIDBackend) -> String {
        guard let redirectURI else {
            return backend.gate("error", ["errorCode": error, "errorMessage": description])
        }
        return ThunderIDRedirect.address(
            redirectURI,
            ["error": error, "error_description": description, "iss": backend.issuer, "state": state])
    }
}
