import IdentityKit

// Sessions of administrators for InsForge's own dashboard. Their refresh token is always in a cookie, regardless of
// `client_type`.

extension InsForgeCall {
    func adminSignIn() throws -> LocalResponse {
        var fields = fields
        let username = fields.string(
            "username", .init(complaint: "Username is required") { !$0.trimmed.isEmpty },
            .init(complaint: "Username must be less than 100 characters") { $0.trimmed.utf16.count <= 100 }
        ).trimmed
        let password = fields.string("password")
        try fields.check()
        let admin = backend.rules.admin
        guard username == admin.username, password == admin.password else {
            throw InsForgeServerError.unauthorized("Invalid admin credentials")
        }
        return try adminSession(subject: "local:" + username)
    }

    func currentAdminSession() throws -> LocalResponse {
        let claims = try verifyToken()
        guard claims.role == "project_admin" else {
            throw InsForgeServerError(
                403, "AUTH_UNAUTHORIZED", "Admin access required", nextActions: InsForgeHint.checkAdminToken)
        }
        return .insForge(["admin": ["sub": .string(claims.subject)]])
    }

    func adminRefresh() throws -> LocalResponse {
        try refreshFromCookie(.admin) { token in
            let claims = try backend.tokens.refreshClaims(of: token, type: .admin)
            try requireCSRFToken(for: claims, type: .admin)
            return try adminSession(subject: claims.subject, csrfNonce: claims.csrfNonce)
        }
    }

    func adminLogOut() throws -> LocalResponse { try logOut(.admin) }

    func anonKey() throws -> LocalResponse {
        try verifyAdmin()
        return .insForge(["anonKey": .string(backend.anonKeys.current)])
    }

    /// `POST /api/auth/tokens/anon`, which old dashboards still call.
    func deprecatedAnonToken() throws -> LocalResponse {
        try verifyAdmin()
        return .insForge([
            "accessToken": .string(backend.anonKeys.current),
            "message": "Anon key retrieved successfully (deprecated route, use GET /api/metadata/anon-key)",
        ])
    }
}

extension InsForgeCall {
    fileprivate func adminSession(subject: String, csrfNonce: String? = nil) throws -> LocalResponse {
        var session = InsForgeSession(subject: subject, type: .admin)
        if let csrfNonce { session.csrfNonce = csrfNonce }
        return try session.response(
            [
                "admin": ["sub": .string(subject)],
                "accessToken": .string(try backend.accessToken(forAdmin: subject)),
            ],
            to: .web, from: backend)
    }
}
