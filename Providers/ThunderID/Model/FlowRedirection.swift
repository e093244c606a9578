import Foundation
import IdentityKit
import IdentityOAuth

/// A step that continues at another identity provider, in a browser.
public struct FlowRedirection: Sendable, Hashable {
    /// The page of the identity provider, to open in a browser.
    public let url: URL
    /// The redirect URI in the query of ``url``, to which the identity provider finally redirects; `nil` if there is
    /// none. An app receives the callback only if this address belongs to the app.
    public let callbackURI: URL?
    /// The name of the identity provider, if known.
    public let providerName: String?

    private let state: String?

    init?(_ url: URL?, providerName: String?) {
        guard let url, let parameters = try? CallbackURL(url) else { return nil }
        self.url = url
        self.providerName = providerName
        callbackURI = parameters["redirect_uri"].flatMap(URL.init(string:))
        state = parameters["state"]
    }

    /// Returns ``callbackURI``; `nil` if it is missing, or is an address of `server`.
    ///
    /// Usually the address is a page of the server itself, which never redirects to an app.
    func callbackURI(beyond server: URL) -> URL? {
        callbackURI.flatMap { $0.authority == server.authority ? nil : $0 }
    }

    /// Returns the inputs of the step, `code` and `state`, from the callback address.
    ///
    /// The server checks `state` only if the client sends it. This method therefore refuses a callback without `state`,
    /// or with another one than in ``url``: otherwise an attacker could sign the person in to the attacker's account.
    /// - Throws: ``IAMError`` with `invalidGrant` if the callback is malformed, belongs to another step or has no
    ///   authorization code, with `serverError` if the identity provider failed temporarily, or with
    ///   `authenticationFailed` if the person cancelled or the identity provider refused the sign-in.
    public func inputs(from callback: URL) throws -> [String: String] {
        let parameters: CallbackURL
        do {
            parameters = try CallbackURL(callback)
        } catch let error as OAuthError {
            throw IAMError(error)
        }
        guard callbackURI.map(parameters.returns(to:)) ?? true else {
            throw IAMError(.invalidGrant, "The sign-in returned to another address than the one it was asked to.")
        }
        guard let received = parameters["state"], received.hasBytes(of: state ?? received) else {
            throw IAMError(.invalidGrant, "The sign-in that returned is not the one that was started. Sign in again.")
        }
        if let error = parameters["error"] {
            switch error {
            case "access_denied":
                throw IAMError(.authenticationFailed, "The sign-in was cancelled at the other identity provider.")
            case "server_error", "temporarily_unavailable":
                throw IAMError(.serverError, "The other identity provider failed. Try again later.")
            default:
                throw IAMError(.authenticationFailed, "The other identity provider refused the sign-in.")
            }
        }
        guard let code = parameters["code"] else {
            throw IAMError(.invalidGrant, "The sign-in returned neither a code nor an error. Sign in again.")
        }
        return ["code": code, "state": received]
    }
}

extension EmbeddedFlowResponse {
    /// The redirection to another identity provider; `nil` if the step has none, or if its address is unreadable.
    public var redirection: FlowRedirection? {
        FlowRedirection(data?.redirectURL.flatMap(URL.init(string:)), providerName: data?.additional("idpName"))
    }

    /// Creates the payload for a step that continued in a browser.
    /// - Parameter callback: the address to which the identity provider redirected.
    /// - Throws: ``IAMError`` with `invalidInput` if the step has no redirection, otherwise as
    ///   ``FlowRedirection/inputs(from:)``.
    public func payload(for callback: URL) throws -> EmbeddedSignInPayload {
        guard let redirection else {
            throw IAMError(.invalidInput, "This step does not go on in a browser.")
        }
        return EmbeddedSignInPayload(flowId: flowId, inputs: try redirection.inputs(from: callback))
    }
}

extension FlowRedirection: Reticent {
    /// Shows addresses without their queries, which identify the flow.
    package var shown: KeyValuePairs<String, Any> {
        [
            "url": url.addressAlone,
            "callbackURI": callbackURI?.addressAlone as Any,
            "providerName": providerName as Any,
        ]
    }
}
