/// Why a client refused a call.
public enum ClientError: IdentityFailure, Equatable {
    /// Nobody is signed in; the text says why, provider by provider.
    case notSignedIn(String)
    /// The request would send a token in the clear to this host.
    case insecureRequest(String)

    /// Stable code.
    public var failureCode: String {
        switch self {
        case .notSignedIn: "not_signed_in"
        case .insecureRequest: "insecure_request"
        }
    }

    /// Always ``FailureClass/definitive``.
    public var failureClass: FailureClass { .definitive }

    /// What to do.
    public var message: String {
        switch self {
        case .notSignedIn(let reasons): "Nobody is signed in. \(reasons)"
        case .insecureRequest(let host): "A token is not sent to \(host) without TLS. Use an https address."
        }
    }
}
