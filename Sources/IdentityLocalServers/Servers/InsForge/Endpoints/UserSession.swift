import IdentityKit

extension InsForgeCall {
    /// `GET /api/auth/sessions/current`: the current data of the access token's user.
    func currentSession() throws -> LocalResponse {
        let claims = try verifyToken()
        guard claims.role == "authenticated" else {
            throw InsForgeServerError.invalidCredentials("User not authenticated")
        }
        guard let user = backend.users.user(id: claims.subject) else {
            throw InsForgeServerError.invalidCredentials("User not found")
        }
        return .insForge(["user": userObject(user)])
    }

    /// `POST /api/auth/refresh`: issues a new pair of tokens. The old refresh token stays valid until it expires
    /// (Backends/InsForge.md#refresh), unless the configuration makes refresh tokens single-use.
    func refresh() throws -> LocalResponse {
        try backend.notingRefusal {
            switch clientType {
            case .native: try refresh(with: bodyToken())
            case .web: try refreshFromCookie(.user) { try refresh(with: $0) }
            }
        }
    }

    private func refresh(with token: String) throws -> LocalResponse {
        let claims = try backend.tokens.refreshClaims(of: token, type: .user)
        if clientType == .web { try requireCSRFToken(for: claims, type: .user) }
        guard let user = backend.users.user(id: claims.subject) else {
            throw InsForgeServerError.unauthorized("User not found")
        }
        if backend.rules.legacy.refreshTokensAreSingleUse { try backend.tokens.spend(token) }
        backend.counters.withLock { $0.refreshes += 1 }
        return try session(for: user, csrfNonce: claims.csrfNonce)
    }

    private func bodyToken() throws -> String {
        var fields = fields
        if backend.rules.legacy.refreshReadsSnakeCaseOnly {
            guard fields.has("refresh_token") else {
                throw InsForgeServerError.unauthorized("No refresh token provided")
            }
            return fields.string("refresh_token")
        }
        fields.read("refresh_token", as: "refreshToken")
        let token = fields.string("refreshToken", .notEmpty("refreshToken is required"))
        try fields.check()
        return token
    }

    /// `POST /api/auth/logout`: deletes a browser's cookie. For native clients this endpoint does nothing, because they
    /// keep the refresh token themselves.
    func logOut() throws -> LocalResponse {
        switch clientType {
        case .native: .loggedOut
        case .web: try logOut(.user)
        }
    }
}

extension InsForgeCall {
    /// Runs `body` with the refresh token in the cookie. A failure with 401, as for a missing cookie or an invalid refresh
    /// token, deletes the cookie. A failure with 403, as for a wrong CSRF token, keeps the cookie.
    func refreshFromCookie(
        _ type: InsForgeTokenService.SessionType, _ body: (String) throws -> LocalResponse
    ) throws -> LocalResponse {
        let cookie = InsForgeCookie(type)
        do {
            guard let token = cookie.value(in: request) else {
                throw InsForgeServerError.unauthorized("No refresh token provided")
            }
            return try body(token)
        } catch var failure as InsForgeServerError where failure.status == 401 {
            failure.setCookie = cookie.clear
            throw failure
        }
    }

    /// Returns a response that deletes the cookie. If the cookie's refresh token is valid, the request must have the CSRF
    /// token.
    /// - Throws: 403 for a missing or wrong CSRF token.
    func logOut(_ type: InsForgeTokenService.SessionType) throws -> LocalResponse {
        let cookie = InsForgeCookie(type)
        if let token = cookie.value(in: request),
            let claims = try? backend.tokens.refreshClaims(of: token, type: type)
        {
            try requireCSRFToken(for: claims, type: type)
        }
        return .loggedOut.with(header: "Set-Cookie", cookie.clear)
    }

    func requireCSRFToken(
        for claims: InsForgeTokenService.RefreshClaims, type: InsForgeTokenService.SessionType
    ) throws {
        let expected = backend.tokens.csrfToken(subject: claims.subject, type: type, csrfNonce: claims.csrfNonce)
        guard request.header("X-CSRF-Token") == expected else { throw InsForgeServerError.invalidCSRFToken }
    }
}

extension LocalResponse {
    fileprivate static var loggedOut: LocalResponse {
        .insForge(["success": true, "message": "Logged out successfully"])
    }
}
