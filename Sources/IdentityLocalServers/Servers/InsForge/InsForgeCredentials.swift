/// The caller of an endpoint. The prefix of the credential selects how it is verified; a failure is final, without
/// trying another way (Backends/InsForge.md#credentials).
enum InsForgeCaller: Equatable {
    case apiKey
    /// An app without a signed-in user.
    case anonymous
    case token(InsForgeTokenService.AccessClaims)

    /// Whether the caller may administer the project.
    var isAdmin: Bool {
        switch self {
        case .apiKey: true
        case .anonymous: false
        case .token(let claims): claims.role == "project_admin"
        }
    }
}

extension InsForgeCall {
    /// The caller, by an API key, the anonymous key or a JWT.
    func verifyUser() throws -> InsForgeCaller {
        if let key = apiKey { return try verify(apiKey: key) }
        if let key = bearer, key.hasPrefix("anon_") {
            guard backend.anonKeys.accepts(key) else {
                throw InsForgeServerError.invalidCredentials("Invalid anon key", nextActions: InsForgeHint.checkToken)
            }
            return .anonymous
        }
        return .token(try verifyToken())
    }

    func verifyToken() throws -> InsForgeTokenService.AccessClaims {
        guard let bearer else { throw InsForgeServerError.noToken }
        guard let claims = backend.tokens.accessClaims(of: bearer) else { throw InsForgeServerError.invalidToken }
        return claims
    }

    /// The caller, by an API key or an administrator's JWT.
    @discardableResult
    func verifyAdmin() throws -> InsForgeCaller {
        if let key = apiKey { return try verify(apiKey: key) }
        guard let bearer else {
            throw InsForgeServerError.invalidCredentials(
                "No admin token provided", nextActions: InsForgeHint.checkToken)
        }
        guard let claims = backend.tokens.accessClaims(of: bearer) else { throw InsForgeServerError.invalidToken }
        guard claims.role == "project_admin" else {
            throw InsForgeServerError(
                403, "AUTH_UNAUTHORIZED", "Admin access required", nextActions: InsForgeHint.checkAdminToken)
        }
        return .token(claims)
    }

    private var bearer: String? { request.bearerToken.nonEmpty }

    /// The API key from either of its two places, which take precedence over any other bearer credential.
    private var apiKey: String? {
        if let bearer, bearer.hasPrefix("ik_") { return bearer }
        return request.header("x-api-key").nonEmpty
    }

    private func verify(apiKey: String) throws -> InsForgeCaller {
        guard apiKey == backend.rules.apiKey else {
            throw InsForgeServerError(
                401, "AUTH_INVALID_API_KEY", "Invalid API key", nextActions: InsForgeHint.checkAPIKey)
        }
        return .apiKey
    }
}
