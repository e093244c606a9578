import IdentityKit

/// Requirements on an ID token beyond those on every ID token.
package struct IDTokenExpectation: Sendable {
    /// The `nonce` of the flow; `nil` if none was sent.
    package var nonce: String?
    /// The access token of the same response, for `at_hash`.
    package var accessToken: Secret?
    /// The code that was exchanged for the token, for `c_hash`.
    package var code: Secret?
    /// The greatest age of the sign-in in seconds. Makes `auth_time` mandatory.
    package var maxAge: Int?
    /// The acceptable authentication classes; empty for any. Makes `acr` mandatory unless empty.
    package var acceptedACRValues: [String] = []
    /// The person that the token must be about, for a step-up.
    package var subject: String?
    /// The earlier ID token that this one refreshes, verified when it was received.
    package var previous: JSONWebToken?
    /// The response of the token endpoint with this token; `nil` for a token from elsewhere.
    var received: PendingVerification?

    package init() {}

    /// The expectation for the token response of a sign-in.
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

    /// The expectation for the response to a refresh (OpenID Connect Core section 12.2).
    /// - Parameters:
    ///   - previous: the ID token held so far; `nil` when there is none. One that is not a JWT, as another library may
    ///     have stored, is ignored.
    ///   - accessToken: the access token of the same response.
    ///   - subject: the person of the session, if known from elsewhere than the ID token.
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

extension IDTokenExpectation: CustomReflectable {
    /// Shows neither `nonce` nor a token.
    package var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "maxAge": maxAge as Any,
                "acceptedACRValues": acceptedACRValues,
                "subject": subject as Any,
            ])
    }
}
