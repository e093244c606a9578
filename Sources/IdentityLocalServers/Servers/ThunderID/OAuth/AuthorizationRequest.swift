import Foundation
import IdentityKit

/// A valid authorization request (Backends/ThunderID.md#authorization-endpoint).
struct AuthorizationRequest: Sendable {
    let application: LocalThunderIDServer.Application
    let redirectURI: String
    /// Whether the request contained the redirect URI, so that the token request must repeat it.
    let namesRedirectURI: Bool
    let scopes: [String]
    let state: String?
    let nonce: String?
    let codeChallenge: String?
    let uiLocales: String?
    /// The values of `acr_values`, in order of preference.
    let authenticationClasses: [String]
    let maximumAge: Int64?
    /// The identifier of the resource server that the permissions belong to; `nil` for a request that has neither
    /// `resource` nor permissions.
    let resource: String?
    /// The thumbprint `dpop_jkt` of the only key with which the authorization code can be redeemed (RFC 9449 section
    /// 10).
    let keyThumbprint: String?
    private let asksConsentAgain: Bool

    private static let longestNonce = 64

    /// Checks the parameters of a request by `application`.
    /// - Throws: ``AuthorizationRequestError``. The client gets the error, unless the redirect URI is invalid or `claims`
    ///   is malformed.
    init(
        _ parameters: [String: String], from application: LocalThunderIDServer.Application,
        at configuration: LocalThunderIDServer.Configuration
    ) throws {
        self.application = application
        namesRedirectURI = parameters["redirect_uri"] != nil
        redirectURI = try Self.redirectURI(parameters["redirect_uri"], of: application)
        scopes = (parameters["scope"] ?? "").split(separator: " ").map(String.init)
        state = parameters["state"]
        nonce = parameters["nonce"]
        codeChallenge = parameters["code_challenge"]
        uiLocales = parameters["ui_locales"]
        authenticationClasses = (parameters["acr_values"] ?? "").split(separator: " ").map(String.init)
        // An invalid or negative number is ignored.
        maximumAge = parameters["max_age"].flatMap(Int64.init).flatMap { $0 < 0 ? nil : $0 }
        keyThumbprint = parameters["dpop_jkt"]
        let isPermission = scopes.contains { !OpenIDScopes.all.contains($0) }
        resource = parameters["resource"] ?? (isPermission ? configuration.defaultResourceServer : nil)
        asksConsentAgain = (parameters["prompt"] ?? "").split(separator: " ").contains("consent")
        guard parameters["claims"].map(Self.isClaimsRequest) ?? true else {
            throw AuthorizationRequestError(
                "invalid_request", "The claims request parameter is malformed or contains invalid values")
        }
        do {
            try checkPrompt(parameters["prompt"])
            try checkResponse(type: parameters["response_type"], mode: parameters["response_mode"])
            try checkCodeChallenge(method: parameters["code_challenge_method"])
            try checkNonce()
            guard keyThumbprint.map(CodeChallenge.isWellFormed) ?? true else {
                throw AuthorizationRequestError("invalid_request", "Invalid dpop_jkt parameter")
            }
            try checkScopes(configuration.resourceServers)
        } catch let failure as AuthorizationRequestError {
            throw failure.told(at: redirectURI, state: state)
        }
    }

    /// The requirements of the request on the sign-in flow.
    /// - Parameter authID: the `authId` under which the server keeps this request until the flow has ended.
    func demands(authID: String) -> FlowDemands {
        FlowDemands(
            authorizationRequestID: authID, authenticationClasses: authenticationClasses, maximumAge: maximumAge,
            asksConsentAgain: asksConsentAgain)
    }

    /// The redirect URI of the request, which must equal a registered one as exact text, including the port of a
    /// loopback address. If the request has no redirect URI, the result is the client's only registered one.
    private static func redirectURI(
        _ sent: String?, of application: LocalThunderIDServer.Application
    ) throws -> String {
        let registered = application.redirectURIs
        if let sent, registered.contains(sent) { return sent }
        if sent == nil, registered.count == 1 { return registered[0] }
        throw AuthorizationRequestError("invalid_request", "Invalid redirect URI")
    }

    /// Whether `claims` is a JSON object (OpenID Connect Core section 5.5).
    private static func isClaimsRequest(_ text: String) -> Bool {
        (try? JSONValue(parsing: Data(text.utf8)))?.objectValue != nil
    }

    private func checkPrompt(_ prompt: String?) throws {
        guard let prompt else { return }
        let values = Set(prompt.split(separator: " ").map(String.init))
        guard !values.isEmpty, values.isSubset(of: ["none", "login", "consent", "select_account"]) else {
            throw AuthorizationRequestError("invalid_request", "Unsupported prompt parameter value")
        }
        if values.contains("none") {
            guard values.count == 1 else {
                throw AuthorizationRequestError(
                    "invalid_request", "prompt value 'none' must not be combined with other values")
            }
            throw AuthorizationRequestError("login_required", "User authentication is required")
        }
        if values.contains("select_account") {
            throw AuthorizationRequestError("account_selection_required", "Account selection is not supported")
        }
    }

    private func checkResponse(type: String?, mode: String?) throws {
        guard application.grantTypes.contains(.authorizationCode) else {
            throw AuthorizationRequestError("unauthorized_client", "The client may not use authorization codes")
        }
        guard let type, !type.isEmpty else {
            throw AuthorizationRequestError("invalid_request", "Missing response_type parameter")
        }
        guard type == "code" else {
            throw AuthorizationRequestError("unsupported_response_type", "Unsupported response type")
        }
        guard mode == nil || mode == "query" else {
            throw AuthorizationRequestError("invalid_request", "Unsupported response_mode parameter")
        }
    }

    private func checkCodeChallenge(method: String?) throws {
        guard codeChallenge != nil || method != nil else {
            guard !application.mustUsePKCE else {
                throw AuthorizationRequestError("invalid_request", "code_challenge is required for this application")
            }
            return
        }
        guard method == "S256", CodeChallenge.isWellFormed(codeChallenge ?? "") else {
            throw AuthorizationRequestError(
                "invalid_request", "Invalid code_challenge or code_challenge_method parameter")
        }
    }

    private func checkNonce() throws {
        guard (nonce ?? "").utf8.count <= Self.longestNonce else {
            throw AuthorizationRequestError("invalid_request", "The nonce is too long")
        }
    }

    /// Checks the resource server, which must be known, and the scopes. Each scope that is not in ``OpenIDScopes/all`` must
    /// be a permission of the resource server.
    private func checkScopes(_ servers: [LocalThunderIDServer.ResourceServer]) throws {
        let permissions = scopes.filter { !OpenIDScopes.all.contains($0) }
        guard let resource else {
            guard permissions.isEmpty else {
                throw AuthorizationRequestError(
                    "invalid_target", "No resource parameter supplied and no default resource server is configured")
            }
            return
        }
        guard let server = servers.first(where: { $0.identifier == resource }) else {
            throw AuthorizationRequestError(
                "invalid_target", "The resource parameter does not match any registered resource server")
        }
        guard permissions.allSatisfy(server.permissions.contains) else {
            throw AuthorizationRequestError("invalid_scope", "The resource does not have this permission")
        }
    }
}
