import Foundation
import IdentityKit

extension FlowTaskRunner {
    /// Redirects the browser to another identity provider or, in the call with the provider's authorization code, signs
    /// in the user. The input `state` is compared only if it is present, as in the real server.
    func federate(with connection: LocalThunderIDServer.Connection, _ execution: inout FlowExecution) -> Outcome {
        guard let code = execution.inputs.removeValue(forKey: "code"), !code.isEmpty else {
            let state = UUID().uuidString.lowercased()
            execution.federationState = state
            execution.additionalData["idpName"] = connection.name
            return .redirects(
                to: upstream.authorizationURL(for: connection, state: state), answering: [.machine("code")])
        }
        if let state = execution.inputs.removeValue(forKey: "state"), !state.isEmpty,
            state != execution.federationState
        {
            return .failure(.federationStateMismatch)
        }
        guard let userID = upstream.redeem(code) else { return .failure(.federationCodeInvalid) }
        guard let user = users.user(id: userID), user.isActive else { return .failure(.federatedUserUnknown) }
        execution.userID = user.id
        note(connection.authenticator, &execution)
        return .success
    }
}

/// A simulated identity provider to which sign-in flows redirect. The provider has a page for browsers but no token endpoint,
/// because the flow calls ``redeem(_:)`` directly.
final class UpstreamProvider: Sendable {
    static let path = "/upstream/authorize"

    private let baseURL: String
    private let defaultUserID: String
    private let connections: [LocalThunderIDServer.Connection]
    private let codes = Locked<[String: String]>([:])

    init(_ configuration: LocalThunderIDServer.Configuration, baseURL: String) {
        self.baseURL = baseURL
        defaultUserID = configuration.user.id
        connections = configuration.signIn.methods.compactMap { method in
            guard case .federated(var connection) = method else { return nil }
            connection.redirectURI = Self.address(connection.redirectURI, baseURL)
            return connection
        }
    }

    /// Addresses to which the provider may redirect the browser.
    var redirectURIs: [String] { connections.map(\.redirectURI) }

    private static func address(_ redirectURI: String, _ baseURL: String) -> String {
        redirectURI.hasPrefix("/") ? baseURL + redirectURI : redirectURI
    }

    /// Returns the address of the provider's page with the parameters of an authorization request.
    func authorizationURL(for connection: LocalThunderIDServer.Connection, state: String) -> String {
        ThunderIDRedirect.address(
            baseURL + Self.path,
            [
                "client_id": connection.name, "redirect_uri": Self.address(connection.redirectURI, baseURL),
                "response_type": "code",
                "scope": "openid email", "nonce": LocalIdentifiers.hex(byteCount: 8), "state": state,
            ])
    }

    /// Returns the address to which the provider redirects, with an authorization code or an error according to the
    /// connection's configuration; `nil` if no connection has this client and redirect URI.
    func callback(clientID: String?, redirectURI: String?, state: String?) -> String? {
        guard let connection = connections.first(where: { $0.name == clientID && $0.redirectURI == redirectURI }) else {
            return nil
        }
        switch connection.answer {
        case .refuses(let error):
            return ThunderIDRedirect.address(connection.redirectURI, ["error": error, "state": state])
        case .signsIn(let userID):
            let code = LocalIdentifiers.base64URL(byteCount: 16)
            codes.withLock { $0[code] = userID ?? defaultUserID }
            return ThunderIDRedirect.address(connection.redirectURI, ["code": code, "state": state])
        }
    }

    /// Returns the identifier of the user for an authorization code; `nil` for an unknown code. A code works once.
    func redeem(_ code: String) -> String? { codes.withLock { $0.removeValue(forKey: code) } }
}

extension ThunderIDCall {
    /// `GET /upstream/authorize`: the other provider's page, which is not part of ThunderID. The page redirects at once, and
    /// does not ask the person to sign in.
    func authorizeUpstream() throws -> LocalResponse {
        let query = request.queryValue
        guard
            let target = backend.upstream.callback(
                clientID: query("client_id"), redirectURI: query("redirect_uri"), state: query("state"))
        else { throw ThunderIDServerError.text(status: 400, "unknown client or redirect URI\n") }
        return .found(target)
    }
}
