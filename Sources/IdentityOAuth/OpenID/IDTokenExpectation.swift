import IdentityKit

/// The requirements on one ID token, in addition to the rules for all ID tokens.
package struct IDTokenExpectation: Sendable {
    /// The `nonce` of the flow; `nil` if none was sent.
    package var nonce: String?
    /// The access token of the same response, with which `at_hash` is compared; `nil` to ignore `at_hash`.
    package var accessToken: Secret?
    /// The greatest age of the sign-in in seconds, which makes `auth_time` mandatory; `nil` for any age.
    package var maxAge: Int?
    /// The accepted values of `acr`. If the list is empty, any token is accepted; otherwise the token must have an `acr`.
    package var acceptedACRValues: [String] = []
    /// The person that the token must be about, as in ``IDToken/person``; `nil` for any person.
    package var subject: String?
    /// The previous ID token of the session, with which a refreshed ID token must agree; `nil` if there is none.
    package var previous: JSONWebToken?
    /// The token response that brought the ID token; `nil` if the token did not just arrive from the token endpoint.
    var received: PendingVerification?

    package init() {}

    /// Creates the expectation for the ID token of a sign-in.
    /// - Parameters:
    ///   - pending: the flow, whose nonce, greatest age, authentication classes and subject are enforced.
    ///   - accessToken: the access token of the same response.
    package static func signIn(_ pending: PendingAuthorization, accessToken: Secret) -> IDTokenExpectation {
        var expectation = IDTokenExpectation()
        expectation.nonce = pending.nonce
        expectation.accessToken = accessToken
        expectation.maxAge = pending.maxAge
        expectation.acceptedACRValues = pending.acrValues
        expectation.subject = pending.subject
        return expectation
    }

    /// Creates the expectation for the ID token of a refresh (OpenID Connect Core section 12.2).
    /// - Parameters:
    ///   - previous: the session's previous ID token; `nil` if there is none. A text that is not a JWT is ignored, because
    ///     another library may have stored it.
    ///   - accessToken: the access token of the same response.
    ///   - subject: the person of the session; `nil` if only the previous ID token identifies the person.
    package static func refresh(
        of previous: Secret?, accessToken: Secret, subject: String? = nil
    ) -> IDTokenExpectation {
        var expectation = IDTokenExpectation()
        expectation.previous = previous.flatMap { try? JSONWebToken($0) }
        expectation.accessToken = accessToken
        expectation.subject = subject
        return expectation
    }
}

extension IDTokenExpectation: Reticent {
    /// Shows neither `nonce` nor a token.
    package var shown: KeyValuePairs<String, Any> {
        [
            "maxAge": maxAge as Any,
            "acceptedACRValues": acceptedACRValues,
            "subject": subject as Any,
        ]
    }
}
