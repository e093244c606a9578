import Foundation
import IdentityKit
import Testing

@testable import InsForge

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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
        Row(401, "SOMETHING_NEW", "User not found", .perhapsOver),
        Row(400, "AUTH_USER_NOT_FOUND", "User not found", .perhapsOver),
        Row(200, "AUTH_UNAUTHORIZED", "User not found", .perhapsOver),
        Row(403, "SOMETHING_NEW", "Go away", .inFront),
        Row(400, "SOMETHING_NEW", "No", .perhapsOver),
        Row(410, "SOMETHING_NEW", "Gone", .inFront),
        Row(302, "AUTH_UNAUTHORIZED", "User not found", .inFront),
        Row(407, "AUTH_UNAUTHORIZED", "User not found", .inFront),
        Row(429, "TOO_MANY_REQUESTS", "Later", .busy(nil)),
        Row(429, "AUTH_UNAUTHORIZED", "User not found", .busy(nil)),
        Row(400, "RATE_LIMITED", "Later", .busy(nil)),
        Row(408, "AUTH_TOKEN_EXPIRED", "Too late", .busy(nil)),
        Row(425, "SOMETHING_NEW", "Too early", .busy(nil)),
        Row(500, "AUTH_UNAUTHORIZED", "User not found", .unknown),
        Row(500, "TOO_MANY_REQUESTS", "Later", .unknown),
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

    private static func verdict(
        _ status: Int, _ body: String, _ headers: [String: String] = [:]
    ) throws -> RefreshVerdict {
        let url = try #require(URL(string: "https://project.example/api/auth/refresh"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: headers))
        return RefreshVerdict(Data(body.utf8), response)
    }

    @Test(
        "A page in the server's place says nothing about the session, and is something in front of it",
        arguments: [200, 301, 400, 401, 403, 404])
    func pages(status: Int) throws {
        #expect(try Self.verdict(status, " \n<html>") == .inFront)
        #expect(
            try Self.verdict(status, "Sign in to the Wi-Fi", ["Content-Type": "text/html; charset=utf-8"]) == .inFront)
    }

    @Test(
        "What has no code is judged by its status",
        arguments: [
            (200, RefreshVerdict.unreadable), (204, .unreadable), (304, .inFront), (400, .perhapsOver),
            (401, .perhapsOver),
            (403, .inFront), (404, .inFront), (407, .inFront), (500, .unknown), (503, .unknown),
        ])
    func withoutCode(status: Int, verdict: RefreshVerdict) throws {
        for body in ["", "{}", "no", "[]"] { #expect(try Self.verdict(status, body) == verdict) }
    }

    @Test("A page of a failing server is a failing server", arguments: [500, 502, 503, 504])
    func failingPages(status: Int) throws {
        #expect(try Self.verdict(status, "<html>") == .unknown)
    }

    @Test(
        "Retry-After is seconds, or a date by the response's own, and at most an hour",
        arguments: [
            ("30", Duration.seconds(30)), ("0", .zero), ("99999", .seconds(3600)), (" 5 ", .seconds(5)),
            ("Sun, 06 Nov 1994 08:50:07 GMT", .seconds(30)), ("Sun, 06 Nov 1994 08:49:07 GMT", nil),
            ("-1", nil), ("soon", nil), ("1e3", nil), ("99999999999999999999", nil), ("", nil),
        ] as [(String, Duration?)])
    func pauses(text: String, pause: Duration?) throws {
        let headers = ["Retry-After": text, "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]
        #expect(try Self.verdict(429, "<html>", headers) == .busy(pause))
        #expect(try Self.verdict(503, "<html>", headers) == (pause.map(RefreshVerdict.overloaded) ?? .unknown))
    }

    @Test("A failing server's word on a user or a session is not told as one")
    func failingServer() throws {
        let url = try #require(URL(string: "https://project.example"))
        let response = try #require(HTTPURLResponse(url: url, statusCode: 500, httpVersion: nil, headerFields: nil))
        for code in ["AUTH_USER_NOT_FOUND", "AUTH_TOKEN_EXPIRED", "NOT_FOUND", "AUTH_UNAUTHORIZED"] {
            let body = try JSONEncoder().encode(
                ["error": .string(code), "message": "User not found"] as [String: JSONValue])
            for operation in InsForgeAuthError.Operation.allCases {
                let error = InsForgeAuthError(body, response, during: operation)
                #expect(error.failureCode == "server_error" && error.failureClass == .transient)
            }
        }
    }
}
