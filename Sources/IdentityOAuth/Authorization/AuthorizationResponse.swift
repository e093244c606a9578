import Foundation
import IdentityKit

/// A response of the authorization endpoint (RFC 6749 section 4.1.2) that has not been checked against its flow.
///
/// Look up the flow by ``state``, and pass it to ``authorizationCode(for:at:)``. That method checks the response and
/// returns the authorization code.
package struct AuthorizationResponse: Sendable {
    /// The decoded parameters in the order of the response, including unknown ones, but without those that are empty.
    package let parameters: [FormField]

    private let callback: CallbackURL

    /// Reads a redirect with the response in its query, or with an error in its fragment.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` when the URL is malformed, repeats a parameter, or contains user
    ///   information (`user@`) or a token. Also when its fragment has a response that is not an error, or has any
    ///   response in addition to the one in the query.
    package init(callbackURL: URL) throws {
        let callback = try CallbackURL(callbackURL)
        try self.init(callback: callback, parameters: callback.responseParameters)
    }

    /// Reads a response that the browser posted as a form (OAuth 2.0 Form Post Response Mode).
    /// - Parameters:
    ///   - formPost: the form-encoded body of the request.
    ///   - url: the address of the request.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` when the body or the URL is malformed or repeats a parameter, when the URL
    ///   contains user information (`user@`) or has a response in its fragment, or when either contains a token.
    package init(formPost: Data, receivedAt url: URL) throws {
        guard let body = String(bytes: formPost, encoding: .utf8), let fields = FormEncoding.decode(body) else {
            throw OAuthError.invalidCallback(.malformed)
        }
        try self.init(callback: CallbackURL(url), parameters: fields.withoutRepetition())
    }

    private init(callback: CallbackURL, parameters: [FormField]) throws {
        let tokens: Set = ["access_token", "id_token", "refresh_token"]
        let everywhere = parameters + callback.parameters + callback.fragmentParameters
        guard !everywhere.contains(where: { tokens.contains($0.name) }) else {
            throw OAuthError.invalidCallback(.containsToken)
        }
        let isRead = parameters == callback.fragmentParameters
        guard isRead || !callback.fragmentParameters.contains(where: { CallbackURL.responseNames.contains($0.name) })
        else {
            throw OAuthError.invalidCallback(.parametersInFragment)
        }
        self.callback = callback
        self.parameters = parameters
    }

    /// The identifier of the flow that the response claims to belong to; `nil` if the response has none.
    package var state: String? { self["state"] }

    /// The value of the parameter `name`; `nil` if it is absent or empty.
    package subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Checks the response against its flow and returns the authorization code.
    /// - Parameters:
    ///   - pending: the flow with the ``state`` of the response; `nil` if there is none.
    ///   - now: the current time.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` when the response does not belong to the flow, arrives too late, or
    ///   has neither a well-formed authorization code nor a well-formed error; ``OAuthError/refused(_:)`` with the
    ///   error of the response.
    package func authorizationCode(for pending: PendingAuthorization?, at now: Date) throws -> Secret {
        guard let pending else { throw OAuthError.invalidCallback(.unknownFlow) }
        guard pending.isReached(by: callback) else { throw OAuthError.invalidCallback(.redirectMismatch) }
        guard let state else { throw OAuthError.invalidCallback(.stateMissing) }
        guard state.isSameSecret(as: pending.state) else { throw OAuthError.invalidCallback(.stateMismatch) }
        guard now < pending.expiresAt else { throw OAuthError.invalidCallback(.flowExpired) }
        try requireIssuer(of: pending)
        if let refusal {
            guard refusal.error.rawValue.isErrorText else { throw OAuthError.invalidCallback(.malformed) }
            throw OAuthError.refused(refusal)
        }
        guard let code = self["code"] else { throw OAuthError.invalidCallback(.codeMissing) }
        guard code.isVisibleText else { throw OAuthError.invalidCallback(.malformed) }
        return Secret(code)
    }

    /// Returns the error of a response that arrived at the flow's redirect URI but has no `state`; `nil` if the
    /// response has a state, an authorization code or the `iss` of another server, or if its error is malformed.
    ///
    /// Let such an error end the flow only where no other app or page can deliver a response, as in the system's
    /// browser sheet. Elsewhere, any app or page can have sent it.
    package func unconfirmedError(for pending: PendingAuthorization) -> ErrorResponse? {
        guard let refusal, state == nil, self["code"] == nil, refusal.error.rawValue.isErrorText,
            pending.isReached(by: callback), !isForeignError(to: pending)
        else { return nil }
        return refusal
    }

    /// Returns the reason to report for a response without a state: the response's error if it could be meant for one of the
    /// waiting flows, otherwise ``InvalidCallbackReason/unknownFlow``. The waiting flows continue in either case.
    package func reasonWithoutState(for waiting: [PendingAuthorization]) -> InvalidCallbackReason {
        let error = waiting.lazy.compactMap { unconfirmedError(for: $0) }.first
        return error.map { .unconfirmedError($0.code) } ?? .unknownFlow
    }

    /// Whether the response is an error with the `iss` of another server than the flow's. Clients must ignore such an error
    /// (RFC 9207 section 2.4).
    package func isForeignError(to pending: PendingAuthorization) -> Bool {
        guard refusal != nil else { return false }
        do {
            try requireIssuer(of: pending)
            return false
        } catch {
            return true
        }
    }

    /// Checks the `iss` (RFC 9207 section 2.4). If the flow has no issuer, any `iss` is accepted. The server's metadata may
    /// promise an `iss` in every response. An error without it is accepted all the same: the flow ends in any case, and "access
    /// denied" tells the person more than a missing `iss`.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` for another issuer, or for a response without the promised `iss`
    ///   that is not an error.
    private func requireIssuer(of pending: PendingAuthorization) throws {
        guard let received = self["iss"] else {
            if pending.requiresIssuer, refusal == nil { throw OAuthError.invalidCallback(.issuerMissing) }
            return
        }
        guard let expected = pending.issuer else { return }
        guard received.hasBytes(of: expected) else {
            throw OAuthError.invalidCallback(.issuerMismatch(expected: expected, received: received))
        }
    }

    private var refusal: ErrorResponse? {
        self["error"].map {
            let refusal = ErrorResponse(
                error: OAuthErrorCode(rawValue: $0), errorDescription: self["error_description"],
                errorURI: self["error_uri"])
            // Add a hint to an error that mentions pushed requests, because some servers require pushed requests only
            // of some clients and do not announce it in their metadata.
            let wantsPush =
                refusal.error == .invalidRequest && refusal.errorDescription?.lowercased().contains("pushed") == true
            return wantsPush ? refusal.noting("Set pushesAuthorizationRequests to true.") : refusal
        }
    }
}

extension String {
    /// Compares two texts. The duration does not reveal how many bytes match, only whether the lengths are the same.
    func isSameSecret(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
