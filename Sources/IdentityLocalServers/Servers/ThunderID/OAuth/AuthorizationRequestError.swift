/// Why an authorization request does not lead to a code, and where the error goes.
struct AuthorizationRequestError: Error {
    let error: String
    let description: String
    /// The client's address for the error; `nil` when the request has no trusted redirect URI.
    var redirectURI: String?
    var state: String?

    init(_ error: String, _ description: String) {
        self.error = error
        self.description = description
    }

    /// Sends the error to the client of `request`.
    func told(to request: AuthorizationRequest) -> AuthorizationRequestError {
        told(at: request.redirectURI, state: request.state)
    }

    /// Sends the error to the client at `redirectURI`.
    func told(at redirectURI: String, state: String?) -> AuthorizationRequestError {
        var copy = self
        copy.redirectURI = redirectURI
        copy.state = state
        return copy
    }

    /// The target of the browser: the client with `iss` (RFC 9207), or the hosted error page.
    func address(_ backend: ThunderIDBackend) -> String {
        guard let redirectURI else {
            return backend.gate("error", ["errorCode": error, "errorMessage": description])
        }
        return ThunderIDRedirect.address(
            redirectURI,
            ["error": error, "error_description": description, "iss": backend.issuer, "state": state])
    }
}
