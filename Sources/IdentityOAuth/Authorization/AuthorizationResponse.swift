import Foundation
import IdentityKit

/// The response of the authorization endpoint (RFC 6749 section 4.1.2), not checked yet.
///
/// Look the flow up by ``state``; ``authorizationCode(for:at:)`` checks the response and returns the code.
package struct AuthorizationResponse: Sendable {
    /// The decoded parameters in their order, unknown ones included.
    package let parameters: [FormField]

    private let callback: CallbackURL

    /// Reads a redirect with the response in its query, or an error in its fragment.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` when the URL cannot be read, or carries a token, or has another response
    ///   than an error in the fragment.
    package init(callbackURL: URL) throws {
        let callback = try CallbackURL(callbackURL)
        try self.init(callback: callback, parameters: callback.responseParameters)
    }

    /// Reads a POST of the response (OAuth 2.0 Form Post Response Mode).
    /// - Parameters:
    ///   - formPost: the body.
    ///   - url: the address the POST was made to.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` as for a redirect.
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

    /// Identifier of the flow that the response claims to belong to.
    package var state: String? { self["state"] }

    /// The value of the parameter `name`.
    package subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Checks the response against its flow and returns the authorization code.
    /// - Parameters:
    ///   - pending: the flow found under `state`; `nil` when there is none.
    ///   - now: the time.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` when the response does not belong to the flow,
    ///   ``OAuthError/refused(_:)`` when the server or the person said no.
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

    /// An error response without a `state` and without the `iss` of another server. Ends the flow only if nobody else
    /// can deliver a response, as in a system's browser sheet; elsewhere anybody may have sent it.
    package func unconfirmedError(for pending: PendingAuthorization) -> ErrorResponse? {
        guard let refusal, state == nil, self["code"] == nil, refusal.error.rawValue.isErrorText,
            pending.isReached(by: callback), !isForeignError(to: pending)
        else { return nil }
        return refusal
    }

    /// The reason to report for a response without a state. Such a response ends none of the waiting flows.
    package func reasonWithoutState(for waiting: [PendingAuthorization]) -> InvalidCallbackReason {
        let error = waiting.lazy.compactMap { unconfirmedError(for: $0) }.first
        return error.map { .unconfirmedError($0.code) } ?? .unknownFlow
    }

    /// Whether this is an error of another server than that of the flow (RFC 9207 section 2.4), to be ignored.
    package func isForeignError(to pending: PendingAuthorization) -> Bool {
        guard refusal != nil else { return false }
        do {
            try requireIssuer(of: pending)
            return false
        } catch {
            return true
        }
    }

    /// Checks the `iss` (RFC 9207 section 2.4). An error that lacks the promised `iss` passes: it ends the flow either
    /// way, and "access denied" helps more than a protocol complaint.
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
            // Some servers require pushed requests for single clients only, which their metadata does not say.
            let wantsPush =
                refusal.error == .invalidRequest && refusal.errorDescription?.lowercased().contains("pushed") == true
            return wantsPush ? refusal.noting("Set pushesAuthorizationRequests to true.") : refusal
        }
    }
}

extension String {
    /// Compares in constant time, so that the duration does not reveal how much of the text matches.
    func isSameSecret(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
