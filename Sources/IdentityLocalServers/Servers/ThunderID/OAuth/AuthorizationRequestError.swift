/// The reason why an authorization request leads to no code, and the place where the error is shown.
struct AuthorizationRequestError: Error {
    let error: String
    let description: String
    /// The client's address for the error; `nil` if the request has no trusted redirect URI.
    var redirectURI: String?
    var state: String?

    init(_ error: String, _ description: String) {
        self.error = error
        self.description = description
    }

    /// A copy that is returned to the client of `request`.
    func told(to request: AuthorizationRequest) -> AuthorizationRequestError {
        told(at: request.redirectURI, state: request.state)
    }

    /// A copy that is returned to the client at `redirectURI`.
    func told(at redirectURI: String, state: String?) -> AuthorizationRequestError {
        var copy = self
        copy.redirectURI = redirectURI
        copy.state = state
        return copy
    }

    /// The next address for the browser: the client's with `iss` (RFC 9207), or that of the hosted error page.
    func address(_ backend: ThunderIDBackend) -> String {
        guard let redirectURI else {
            return backend.gate("error", ["errorCode": error, "errorMessage": description])
        }
        return ThunderIDRedirect.address(
            redirectURI,
            ["error": error, "error_description": description, "iss": backend.issuer, "state": state])
    }
}
