import Foundation
import IdentityKit

/// The response of the authorization endpoint (RFC 6749 section 4.1.2), not checked yet.
///
/// Look the flow up by ``state``; ``authorizationCode(for:at:)`` checks the response and returns the code.
package struct AuthorizationResponse: Sendable {
    /// The parameters in order, decoded. Unknown ones are harmless and stay here.
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

    /// The flow that this claims to belong to.
    package var state: String? { self["state"] }

    /// The value of the parameter `name`.
    package subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// The authorization code, once everything about the response is right.
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

    /// The error of a response that names neither a flow nor another server. It ends the flow of a page whose response nobody
    /// else can give, as in a system's sheet. Anywhere else it may be anybody's, and ends nothing.
    package func unconfirmedError(for pending: PendingAuthorization) -> ErrorResponse? {
        guard let refusal, state == nil, self["code"] == nil, refusal.error.rawValue.isErrorText,
            pending.isReached(by: callback), !isForeignError(to: pending)
        else { return nil }
        return refusal
    }

    /// Why a response without a state ends none of the flows that wait.
    package func reasonWithoutState(for waiting: [PendingAuthorization]) -> InvalidCallbackReason {
        let error = waiting.lazy.compactMap { unconfirmedError(for: $0) }.first
        return error.map { .unconfirmedError($0.code) } ?? .unknownFlow
    }

    /// Whether this is an error of another server than that of the flow (RFC 9207 section 2.4). Nothing comes of it.
    package func isForeignError(to pending: PendingAuthorization) -> Bool {
        guard refusal != nil else { return false }
        do {
            try requireIssuer(of: pending)
            return false
        } catch {
            return true
        }
    }

    /// RFC 9207 section 2.4. An error that lacks the `iss` the server promised passes: it ends the flow either way, and
    /// "access denied" helps more than a protocol complaint.
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
            // Some servers require it for one client alone, which their metadata do not say.
            let wantsPush =
                refusal.error == .invalidRequest && refusal.errorDescription?.lowercased().contains("pushed") == true
            return wantsPush ? refusal.noting("Set pushesAuthorizationRequests to true.") : refusal
        }
    }
}

extension String {
    /// Compares without telling by its duration how far the two agree.
    func isSameSecret(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
