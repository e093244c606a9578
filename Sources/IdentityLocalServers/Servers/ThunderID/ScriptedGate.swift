import Foundation
import IdentityKit

/// What the script of the hosted sign-in page does, for tests without a browser.
///
/// It opens the authorization URL, runs the sign-in flow with one username and password, sends the assertion, and
/// returns where the browser would go.
public struct ScriptedGate: Sendable {
    private let username: String
    private let password: Secret
    private let transport: any HTTPTransport

    /// The page, used by a person with these credentials.
    public init(username: String, password: Secret) {
        self.username = username
        self.password = password
        transport = DefaultTransport.make()
    }

    /// Signs in.
    /// - Returns: the client's redirect URI with a code, or with an error for the client.
    /// - Throws: ``ScriptedGateFailure`` when the client receives nothing,
    ///   ``/IdentityKit/TransportError`` when the server does not respond.
    public func signIn(at authorizationURL: URL) async throws -> URL {
        let page = try await signInPage(at: authorizationURL)
        guard page.path.hasSuffix("/gate/signin") else {
            guard page.path.hasSuffix("/gate/error") else { return page }
            throw ScriptedGateFailure.errorPage(
                error: page.query("errorCode") ?? "", message: page.query("errorMessage") ?? "")
        }
        guard let executionID = page.query("executionId"), let authID = page.query("authId"),
            var address = URLComponents(url: page, resolvingAgainstBaseURL: true)
        else { throw ScriptedGateFailure.unexpectedAnswer("the sign-in page's address is incomplete") }
        address.query = nil
        address.path.removeLast("gate/signin".count)
        guard let origin = address.url else {
            throw ScriptedGateFailure.unexpectedAnswer("the sign-in page's address is incomplete")
        }
        let assertion = try await runFlow(executionID, at: origin)
        let response = try await post(
            ["authId": .string(authID), "assertion": .string(assertion)], to: "oauth2/auth/callback", at: origin)
        guard let target = response["redirect_uri"]?.stringValue.flatMap(URL.init(string:)) else {
            throw ScriptedGateFailure.unexpectedAnswer("the callback named no redirect URI")
        }
        return target
    }

    private func signInPage(at authorizationURL: URL) async throws -> URL {
        let (_, head) = try await transport.data(for: URLRequest(url: authorizationURL))
        guard head.statusCode == 302, let location = head.value(forHTTPHeaderField: "Location"),
            let page = URL(string: location, relativeTo: authorizationURL)
        else {
            throw ScriptedGateFailure.unexpectedAnswer("the authorization endpoint responded with \(head.statusCode)")
        }
        return page.absoluteURL
    }

    private func runFlow(_ executionID: String, at origin: URL) async throws -> String {
        let first = try await post(["executionId": .string(executionID)], to: "flow/execute", at: origin)
        guard let challenge = first["challengeToken"],
            let action = first["data"]?["actions"]?.arrayValue?.first?["ref"]
        else { throw ScriptedGateFailure.unexpectedAnswer("the flow asked for nothing") }
        let last = try await post(
            [
                "executionId": .string(executionID), "challengeToken": challenge, "action": action,
                "inputs": ["username": .string(username), "password": .string(password.reveal())],
            ], to: "flow/execute", at: origin)
        guard let assertion = last["assertion"]?.stringValue else {
            throw ScriptedGateFailure.signInRefused(code: last["error"]?["code"]?.stringValue ?? "")
        }
        return assertion
    }

    private func post(_ body: JSONValue, to path: String, at origin: URL) async throws -> JSONValue {
        var request = URLRequest(url: origin.appendingPathComponent(path))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(body)
        let (data, head) = try await transport.data(for: request)
        guard head.statusCode == 200, let response = try? JSONValue(parsing: data) else {
            throw ScriptedGateFailure.unexpectedAnswer("/\(path) responded with \(head.statusCode)")
        }
        return response
    }
}

/// Why a ``ScriptedGate`` did not return to the client.
public enum ScriptedGateFailure: IdentityFailure, Equatable {
    /// The server showed its own error page, because it does not trust the redirect URI or the client.
    case errorPage(error: String, message: String)
    /// The flow did not accept the username and password; `code` is the flow's.
    case signInRefused(code: String)
    /// The server did not respond as a sign-in page expects.
    case unexpectedAnswer(String)

    /// Stable code.
    public var failureCode: String {
        switch self {
        case .errorPage: "authorization_request_refused"
        case .signInRefused: "sign_in_refused"
        case .unexpectedAnswer: "unexpected_answer"
        }
    }

    /// Always ``/IdentityCore/FailureClass/definitive``.
    public var failureClass: FailureClass { .definitive }

    /// What happened and what to do.
    public var message: String {
        switch self {
        case .errorPage(let error, let message):
            "The server refused the authorization request: \(message) (\(error)). Check client id and redirect URI."
        case .signInRefused(let code):
            "The server refused the username and password (\(code)). Check them."
        case .unexpectedAnswer(let detail):
            "The server does not behave like a ThunderID server: \(detail)."
        }
    }
}

extension URL {
    /// The first value of a query parameter, form-decoded.
    fileprivate func query(_ name: String) -> String? {
        LocalRequest(method: "GET", target: "?" + (query ?? ""), headers: [], body: Data()).queryValue(name)
    }
}
