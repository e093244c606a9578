import Foundation
import IdentityKit
import IdentityOAuth

/// A step that continues at another identity provider, in a browser.
public struct FlowRedirection: Sendable, Hashable {
    /// The page to open.
    public let url: URL
    /// The last address to which the identity provider sends the browser: the redirect URI of the server's connection
    /// to it. An app can only catch it when the connection has one of the app's own.
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

    /// The address at which an app can catch the callback of a flow at `server`.
    ///
    /// As a rule a page of the server's own waits at the end, which never gives anything to an app.
    func callbackURI(beyond server: URL) -> URL? {
        callbackURI.flatMap { $0.authority == server.authority ? nil : $0 }
    }

    /// The inputs of the step, from the address the browser came back to.
    ///
    /// The server compares `state` only when it is sent, so it always is, and is compared here too: otherwise an
    /// attacker could sign a person in to an account of the attacker's own.
    /// - Throws: ``IAMError`` when the callback belongs to another step, or says that the person gave up.
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
            throw error == "access_denied"
                ? IAMError(.authenticationFailed, "The sign-in was cancelled at the other identity provider.")
                : IAMError(.authenticationFailed, "The other identity provider refused the sign-in.")
        }
        guard let code = parameters["code"] else {
            throw IAMError(.invalidGrant, "The sign-in returned neither a code nor an error. Sign in again.")
        }
        return ["code": code, "state": received]
    }
}

extension EmbeddedFlowResponse {
    /// The continuation of the step in a browser, if it has one.
    public var redirection: FlowRedirection? {
        FlowRedirection(data?.redirectURL.flatMap(URL.init(string:)), providerName: data?.additional("idpName"))
    }

    /// The payload for a step that went on in a browser.
    /// - Parameter callback: the address the browser came back to.
    /// - Throws: ``IAMError`` when the callback belongs to another step, or says that the person gave up.
    public func payload(for callback: URL) throws -> EmbeddedSignInPayload {
        guard let redirection else {
            throw IAMError(.invalidInput, "This step does not go on in a browser.")
        }
        return EmbeddedSignInPayload(flowId: flowId, inputs: try redirection.inputs(from: callback))
    }
}

extension FlowRedirection: CustomReflectable {
    /// Shows no query: it names the flow.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "url": url.addressAlone,
                "callbackURI": callbackURI?.addressAlone as Any,
                "providerName": providerName as Any,
            ])
    }
}
