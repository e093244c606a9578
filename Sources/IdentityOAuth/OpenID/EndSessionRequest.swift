import Foundation
import IdentityKit

/// A request to sign out at the server, made in the browser (OpenID Connect RP-Initiated Logout 1.0). The request ends
/// only the server's session; use `RevocationRequest` to revoke tokens.
package struct EndSessionRequest: Sendable {
    /// The `end_session_endpoint` of the server's metadata.
    package let endSessionEndpoint: URL
    package let clientID: String
    /// The address to which the browser returns; `nil` if the sign-out ends on the server's page.
    package let postLogoutRedirectURI: URL?
    /// An unguessable identifier of this sign-out, which the server repeats when the browser returns; `nil` if the browser
    /// does not return.
    package let state: String?
    /// The last ID token of the session, by which the server knows whom to sign out. The token may have expired.
    package var idTokenHint: Secret?
    /// The user name or e-mail address of the person to sign out (`logout_hint`), useful if there is no ID token.
    package var logoutHint: String?
    /// The languages of the server's pages as BCP 47 tags, best first.
    package var uiLocales: [String] = []
    /// Additional parameters. Names that the protocol uses are refused.
    package var extraParameters: [FormField] = []

    /// Creates a request.
    /// - Parameters:
    ///   - client: the client. Its identifier is sent, and its transport security decides whether the endpoint is
    ///     allowed.
    ///   - endSessionEndpoint: the `end_session_endpoint` of the server; its own query is kept.
    ///   - idTokenHint: the last ID token of the session; `nil` if there is none.
    ///   - postLogoutRedirectURI: the registered address to which the browser returns; `nil` to end on the server's page.
    ///   - random: the source of ``state``.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for an endpoint that is not allowed, or `RandomnessError`.
    package init(
        client: OAuthClient, endSessionEndpoint: URL, idTokenHint: Secret? = nil, postLogoutRedirectURI: URL? = nil,
        random: RandomSource = .system
    ) throws {
        try client.transportSecurity.require(endSessionEndpoint)
        self.endSessionEndpoint = endSessionEndpoint
        clientID = client.id
        self.idTokenHint = idTokenHint
        self.postLogoutRedirectURI = postLogoutRedirectURI
        state = postLogoutRedirectURI == nil ? nil : Base64URL.encode(try random.bytes(32))
    }

    /// The address to open in the browser, with all parameters in its query.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when an extra parameter has a name that the protocol uses, when the
    ///   endpoint's own query cannot be decoded or has a parameter that is sent here, or when the endpoint has a
    ///   fragment.
    package var url: URL {
        get throws { try endSessionEndpoint.appending(sentFields()) }
    }

    private func sentFields() throws -> [FormField] {
        let reserved: Set = [
            "id_token_hint", "logout_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales",
        ]
        try requireUnreserved(extraParameters, beside: fields, reserved: reserved)
        return fields + extraParameters
    }

    private var fields: [FormField] {
        FormField.list([
            "id_token_hint": idTokenHint?.reveal(),
            "logout_hint": logoutHint,
            "client_id": clientID,
            "post_logout_redirect_uri": postLogoutRedirectURI?.absoluteString,
            "state": state,
            "ui_locales": uiLocales.isEmpty ? nil : uiLocales.joined(separator: " "),
        ])
    }

    /// The parameters to post instead of a query, so that no URL contains the ID token (OpenID Connect RP-Initiated
    /// Logout section 2); `nil` without an ID token.
    /// - Throws: as ``url``.
    var form: WebAuthenticationRequest.Form? {
        get throws {
            guard idTokenHint != nil else { return nil }
            return WebAuthenticationRequest.Form(
                action: endSessionEndpoint, fields: try sentFields().map { ($0.name, Secret($0.value)) })
        }
    }

    /// Checks that the browser returned from this sign-out (OpenID Connect RP-Initiated Logout section 3).
    /// - Throws: ``OAuthError/invalidCallback(_:)`` when the address is malformed or not ``postLogoutRedirectURI``, when its
    ///   `state` is missing or wrong, or when the browser was not meant to return.
    package func checkReturn(_ callbackURL: URL) throws {
        let callback = try CallbackURL(callbackURL)
        guard let postLogoutRedirectURI, let state else { throw OAuthError.invalidCallback(.unknownFlow) }
        guard callback.returns(to: postLogoutRedirectURI) else { throw OAuthError.invalidCallback(.redirectMismatch) }
        guard let received = callback["state"] else { throw OAuthError.invalidCallback(.stateMissing) }
        guard received.isSameSecret(as: state) else { throw OAuthError.invalidCallback(.stateMismatch) }
    }
}

extension EndSessionRequest: Reticent {
    /// Shows neither `state` nor the ID token.
    package var shown: KeyValuePairs<String, Any> {
        [
            "endSessionEndpoint": endSessionEndpoint.addressAlone,
            "clientID": clientID,
            "postLogoutRedirectURI": postLogoutRedirectURI?.addressAlone as Any,
            "uiLocales": uiLocales,
        ]
    }
}
