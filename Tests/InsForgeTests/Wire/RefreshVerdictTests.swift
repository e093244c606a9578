import Foundation
import IdentityKit
import Testing

@testable import InsForge

/// What a refused refresh says about the session: the table at ``RefreshVerdict``, row by row.
@Suite struct RefreshVerdictTests {
    /// A refusal and what it means.
    struct Row: Sendable, CustomStringConvertible {
        let status: Int
        let code: String
        let text: String
        let verdict: RefreshVerdict

        init(_ status: Int, _ code: String, _ text: String, _ verdict: RefreshVerdict) {
            self.status = status
            self.code = code
            self.text = text
            self.verdict = verdict
        }

        var description: String { "\(status) \(code) \"\(text)\"" }
    }

    private static let rows = [
        Row(401, "AUTH_UNAUTHORIZED", "Invalid or expired refresh token", .over),
        Row(401, "AUTH_UNAUTHORIZED", "Invalid refresh token type", .over),
        Row(401, "AUTH_UNAUTHORIZED", "Invalid refresh session type", .over),
        Row(401, "AUTH_UNAUTHORIZED", "User not found", .over),
        Row(401, "AUTH_TOKEN_EXPIRED", "Too old", .over),
        Row(404, "NOT_FOUND", "User not found", .over),
        Row(404, "AUTH_USER_NOT_FOUND", "User not found", .over),
        Row(401, "AUTH_UNAUTHORIZED", "No refresh token provided", .misconfigured),
        Row(403, "FORBIDDEN", "Invalid CSRF token", .misconfigured),
        Row(400, "INVALID_INPUT", "refreshToken: Required", .misconfigured),
        Row(404, "NOT_FOUND", "Endpoint /api/auth/refresh not found", .misconfigured),
        Row(401, "AUTH_UNAUTHORIZED", "Something new", .perhapsOver),
        Row(401, "AUTH_INVALID_CREDENTIALS", "No token provided", .perhapsOver),
        Row(403, "SOMETHING_NEW", "Go away", .perhapsOver),
        Row(400, "SOMETHING_NEW", "No", .perhapsOver),
        Row(410, "SOMETHING_NEW", "Gone", .perhapsOver),
        Row(429, "TOO_MANY_REQUESTS", "Later", .unknown),
        Row(500, "INTERNAL_ERROR", "Invalid or expired refresh token", .unknown),
        Row(503, "AUTH_TOKEN_EXPIRED", "User not found", .unknown),
        Row(400, "DATABASE_VALIDATION_ERROR", "relation \"auth.users\" does not exist", .unknown),
        Row(403, "FORBIDDEN", "permission denied for table users", .unknown),
        Row(409, "DATABASE_DUPLICATE", "duplicate key value", .unknown),
    ]

    @Test("Each refusal of a refresh means one thing for the session", arguments: rows)
    func verdicts(row: Row) throws {
        let body = try JSONEncoder().encode(
            ["error": .string(row.code), "message": .string(row.text)] as [String: JSONValue])
        #expect(RefreshVerdict(status: row.status, InsForgeErrorResponse(body)) == row.verdict)
    }

    @Test(
        "A page in the server's place says nothing about the session", arguments: [200, 301, 400, 401, 403, 404, 500])
    func pages(status: Int) {
        #expect(RefreshVerdict(status: status, InsForgeErrorResponse(Data("<html>".utf8))) == .unknown)
        #expect(RefreshVerdict(status: status, InsForgeErrorResponse(Data("{}".utf8))) == .unknown)
        #expect(RefreshVerdict(status: status, InsForgeErrorResponse(Data())) == .unknown)
    }
}
