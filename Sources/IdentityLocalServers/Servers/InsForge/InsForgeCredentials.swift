/// The caller of an endpoint. The request's credential is verified either as an API key, as an anonymous key or as a JWT. If
/// this verification fails, the server does not try another one (Backends/InsForge.md#credentials).
enum InsForgeCaller: Equatable {
    case apiKey
    /// An app without a signed-in user, which sent the anonymous key.
    case anonymous
    case token(InsForgeTokenService.AccessClaims)

    var isAdmin: Bool {
        switch self {
        case .apiKey: true
        case .anonymous: false
        case .token(let claims): claims.role == "project_admin"
        }
    }
}

extension InsForgeCall {
    /// Returns the caller, who must send an API key, an anonymous key or a JWT.
    /// - Throws: a 401 error if the credential is missing or invalid.
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

    /// Returns the caller, who must send an API key or an administrator's JWT.
    /// - Throws: a 401 error if the credential is missing or invalid; a 403 error for a JWT of another role.
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

    /// The API key: the bearer credential if it begins with `ik_`, else the value of the header `x-api-key`. That header
    /// takes precedence over any other bearer credential.
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
