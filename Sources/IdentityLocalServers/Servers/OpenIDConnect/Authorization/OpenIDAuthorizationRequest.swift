import Foundation

/// An authorization request that the server has accepted (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1).
struct OpenIDAuthorizationRequest: Sendable {
    enum ResponseMode: String, Sendable {
        case query
        case formPost = "form_post"
    }

    let client: LocalOpenIDConnectServer.Client
    let redirectURI: String
    private(set) var responseMode = ResponseMode.query
    let state: String?
    private(set) var scopes: [String] = []
    private(set) var prompts: Set<String> = []
    private(set) var maxAge: Int64?
    let nonce: String?
    let loginHint: String?
    let codeChallenge: String
    let keyThumbprint: String?
    let resources: [String]

    /// Checks the parameters of a request by `client`.
    /// - Throws: ``OpenIDServerError`` if the redirect URI is missing, repeated or not registered, and
    ///   ``OpenIDRequestError`` for any other error, which the client receives in the callback.
    init(
        _ sent: [LocalRequest.Parameter], from client: LocalOpenIDConnectServer.Client,
        allowing scopesSupported: [String], _ behaviour: OpenIDBehaviour
    ) throws {
        // A parameter without a value counts as absent (RFC 6749 section 3.1).
        let sent = sent.filter { !$0.value.isEmpty }
        func value(_ name: String) -> String? { sent.first { $0.name == name }?.value }
        self.client = client
        redirectURI = try Self.redirectURI(sent.filter { $0.name == "redirect_uri" }.map(\.value), of: client)
        state = value("state")
        nonce = value("nonce")
        loginHint = value("login_hint")
        codeChallenge = value("code_challenge") ?? ""
        keyThumbprint = value("dpop_jkt")
        resources = sent.filter { $0.name == "resource" }.map(\.value)
        do {
            // Only `resource` may occur more than once (RFC 8707 section 2).
            let names = sent.map(\.name).filter { $0 != "resource" }
            guard Set(names).count == names.count else {
                throw OpenIDRequestError("invalid_request", "A parameter is repeated")
            }
            try checkResponse(type: value("response_type"), mode: value("response_mode"))
            try checkCodeChallenge(method: value("code_challenge_method"), behaviour)
            scopes = try Self.scopes(value("scope"), behaviour.scopeSeparator, allowed: scopesSupported)
            let asksForPerson = !Set(scopes).isDisjoint(with: ["name", "profile", "email"])
            guard !behaviour.has(.personInForm) || !asksForPerson || responseMode == .formPost else {
                throw OpenIDRequestError(
                    "invalid_request", "response_mode must be form_post for name and e-mail address")
            }
            prompts = try Self.prompts(value("prompt"))
            maxAge = try Self.maxAge(value("max_age"))
            try checkUnsupported(value)
            guard resources.isEmpty || !behaviour.has(.resourceIsInvalidTarget) else {
                throw OpenIDRequestError("invalid_target", "There are no tokens for this resource")
            }
        } catch let refusal as OpenIDRequestError {
            throw refusal.told(at: callback)
        }
    }

    var callback: OpenIDCallback {
        OpenIDCallback(redirectURI: redirectURI, responseMode: responseMode, state: state)
    }

    private static func redirectURI(_ sent: [String], of client: LocalOpenIDConnectServer.Client) throws -> String {
        guard sent.count == 1,
            RedirectRegistration(client.redirectURIs, anyPort: client.takesAnyLoopbackPort).contains(sent[0])
        else {
            throw OpenIDServerError.page(status: 400, "The application sent an address that is not registered for it.")
        }
        return sent[0]
    }

    private mutating func checkResponse(type: String?, mode: String?) throws {
        if let mode {
            guard let known = ResponseMode(rawValue: mode) else {
                throw OpenIDRequestError("invalid_request", "The response_mode is not supported")
            }
            responseMode = known
        }
        guard let type else { throw OpenIDRequestError("invalid_request", "response_type is missing") }
        guard type == "code" else {
            throw OpenIDRequestError("unsupported_response_type", "Only the response_type code is supported")
        }
        guard client.grantTypes.contains(.authorizationCode) else {
            throw OpenIDRequestError("unauthorized_client", "The client may not use authorization codes")
        }
    }

    /// Checks the code challenge (RFC 9700 section 2.1.1). This server demands the method `S256` from every client. In the
    /// variation ``LocalOpenIDConnectServer/Variation/noCodeChallenge``, it refuses every challenge instead.
    private func checkCodeChallenge(method: String?, _ behaviour: OpenIDBehaviour) throws {
        guard !behaviour.has(.noCodeChallenge) else {
            guard method == nil, codeChallenge.isEmpty else {
                throw OpenIDRequestError("invalid_request", "The code_challenge is not known")
            }
            return
        }
        guard method == "S256", CodeChallenge.isWellFormed(codeChallenge) else {
            throw OpenIDRequestError("invalid_request", "A code_challenge of the method S256 is required")
        }
    }

    private func checkUnsupported(_ value: (String) -> String?) throws {
        if value("request") != nil {
            throw OpenIDRequestError("request_not_supported", "Request objects are not supported")
        }
        if value("request_uri") != nil {
            throw OpenIDRequestError("request_uri_not_supported", "A pushed request has no other parameters")
        }
    }

    private static func scopes(_ sent: String?, _ separator: Character, allowed: [String]) throws -> [String] {
        let scopes = (sent ?? "").split(separator: separator).map(String.init)
        guard scopes.allSatisfy(allowed.contains) else {
            throw OpenIDRequestError("invalid_scope", "A scope is not known")
        }
        return scopes
    }

    private static func prompts(_ sent: String?) throws -> Set<String> {
        let prompts = Set((sent ?? "").split(separator: " ").map(String.init))
        guard prompts.isSubset(of: ["none", "login", "consent", "select_account"]),
            !prompts.contains("none") || prompts.count == 1
        else { throw OpenIDRequestError("invalid_request", "The prompt is not known, or none comes with another") }
        return prompts
    }

    private static func maxAge(_ sent: String?) throws -> Int64? {
        guard let sent else { return nil }
        guard let seconds = Int64(sent), seconds >= 0 else {
            throw OpenIDRequestError("invalid_request", "max_age is no number of seconds")
        }
        return seconds
    }
}

/// An error in an authorization request, with the callback that returns the error to the client (RFC 6749 section
/// 4.1.2.1). Without a callback, the person sees an error page.
struct OpenIDRequestError: Error {
    let error: String
    let description: String
    private(set) var callback: OpenIDCallback?

    init(_ error: String, _ description: String) {
        self.error = error
        self.description = description
    }

    func told(at callback: OpenIDCallback) -> OpenIDRequestError {
        var copy = self
        copy.callback = callback
        return copy
    }
}

/// The redirect URIs that a client registered. With `anyPort`, a registered `http` address without port on `127.0.0.1` or
/// `[::1]` matches any port (RFC 8252 section 7.3).
struct RedirectRegistration {
    private let registered: [String]
    private let anyPort: Bool

    init(_ registered: [String], anyPort: Bool) { (self.registered, self.anyPort) = (registered, anyPort) }

    func contains(_ sent: String) -> Bool {
        if registered.contains(sent) { return true }
        return anyPort && Self.withoutLoopbackPort(sent).map(registered.contains) ?? false
    }

    private static func withoutLoopbackPort(_ text: String) -> String? {
        guard var parts = URLComponents(string: text), parts.scheme == "http", parts.port != nil, parts.user == nil,
            parts.fragment == nil, ["127.0.0.1", "[::1]", "::1"].contains(parts.host ?? "")
        else { return nil }
        parts.port = nil
        return parts.string
    }
}
