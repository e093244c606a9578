import Foundation
import IdentityKit

// The dashboard's own sessions: always in a cookie, whatever `client_type` says (InsForge contract, admin sessions).

/// `POST /api/auth/admin/sessions`.
struct AdminSignIn: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        var fields = call.fields
        let username = fields.string(
            "username",
            .init(complaint: "Username is required") { !$0.trimmed.isEmpty },
            .init(complaint: "Username must be less than 100 characters") { $0.trimmed.utf16.count <= 100 }
        ).trimmed
        let password = fields.string("password")
        try fields.check()
        let admin = call.backend.rules.admin
        guard username == admin.username, password == admin.password else {
            throw InsForgeFailure.unauthorized("Invalid admin credentials")
        }
        return try call.adminSession(subject: "local:" + username)
    }
}

/// `GET /api/auth/admin/sessions/current`.
struct CurrentAdminSession: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        let claims = try call.verifyToken()
        guard claims.role == "project_admin" else {
            throw InsForgeFailure(
                403, "AUTH_UNAUTHORIZED", "Admin access required", nextActions: InsForgeHint.checkAdminToken)
        }
        return .insForge(["admin": ["sub": .string(claims.subject)]])
    }
}

/// `POST /api/auth/admin/refresh`.
struct AdminRefresh: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        try call.refreshFromCookie(.admin) { token in
            let claims = try call.backend.tokens.refreshClaims(of: token, type: .admin)
            try call.requireCSRFToken(for: claims, type: .admin)
            return try call.adminSession(subject: claims.subject, csrfNonce: claims.csrfNonce)
        }
    }
}

/// `POST /api/auth/admin/logout`.
struct AdminLogOut: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        try call.logOut(.admin)
    }
}

/// `GET /api/metadata/anon-key`.
struct AnonKey: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        try call.verifyAdmin()
        return .insForge(["anonKey": .string(call.backend.anonKeys.current)])
    }
}

/// `POST /api/auth/tokens/anon`, which old dashboards call.
struct DeprecatedAnonToken: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        try call.verifyAdmin()
        return .insForge([
            "accessToken": .string(call.backend.anonKeys.current),
            "message": "Anon key retrieved successfully (deprecated route, use GET /api/metadata/anon-key)",
        ])
    }
}

extension InsForgeCall {
    fileprivate func adminSession(subject: String, csrfNonce: String? = nil) throws -> LocalResponse {
        var session = InsForgeSession(subject: subject, type: .admin)
        if let csrfNonce { session.csrfNonce = csrfNonce }
        return try session.answer(
            [
                "admin": ["sub": .string(subject)],
                "accessToken": .string(try backend.tokens.accessToken(forAdmin: subject)),
            ],
            to: .web, from: backend)
    }
}
