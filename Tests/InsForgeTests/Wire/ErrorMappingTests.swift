import Foundation
import IdentityKit
import Testing

@testable import InsForge

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Every code and text of an error, and what becomes of it (Backends/InsForge.md#errors).
@Suite struct ErrorMappingTests {
    /// One answer of the server and what it means.
    struct Row: Sendable, CustomStringConvertible {
        let status: Int
        let code: String
        let text: String
        let operation: InsForgeAuthError.Operation
        let error: InsForgeAuthError
        let kind: FailureClass

        init(
            _ status: Int, _ code: String, _ text: String = "Some text.",
            _ operation: InsForgeAuthError.Operation = .other, is error: InsForgeAuthError, _ kind: FailureClass
        ) {
            self.status = status
            self.code = code
            self.text = text
            self.operation = operation
            self.error = error
            self.kind = kind
        }

        var description: String { "\(status) \(code) \"\(text)\" during \(operation)" }
    }

    private static let rows: [Row] = [
        // 400
        Row(400, "INVALID_INPUT", "email: Required", is: .invalidInput("email: Required"), .definitive),
        Row(
            400, "INVALID_INPUT", "app://x is not in the allowed redirect URLs", .startOAuth,
            is: .invalidInput("app://x is not in the allowed redirect URLs"), .definitive),
        Row(
            400, "INVALID_INPUT", "Password must contain at least 6 characters long", .signUp,
            is: .weakPassword("Password must contain at least 6 characters long"), .definitive),
        Row(
            400, "INVALID_INPUT", "Invalid or expired verification code", .codeSignIn,
            is: .invalidCode("Invalid or expired verification code"), .definitive),
        Row(
            400, "INVALID_INPUT", "Invalid or expired verification token",
            is: .invalidCode("Invalid or expired verification token"), .definitive),
        Row(
            400, "INVALID_INPUT", "Failed to verify Google ID token", .idToken,
            is: .idTokenRefused("Failed to verify Google ID token"), .definitive),
        Row(
            400, "INVALID_INPUT", "Invalid or expired code", .exchange, is: .oauth("Invalid or expired code"),
            .definitive),
        Row(
            400, "AUTH_UNAUTHORIZED", "PKCE verification failed", .exchange,
            is: .invalidCallback(
                "A later sign-in has taken the place of this one. Finish that one, or sign in again."), .definitive),
        Row(400, "AUTH_OAUTH_CONFIG_ERROR", is: .notConfigured("Some text."), .unavailable),
        Row(400, "EMAIL_PROVIDER_NOT_CONFIGURED", is: .notConfigured("Some text."), .unavailable),
        Row(400, "AUTH_WEAK_PASSWORD", is: .weakPassword("Some text."), .definitive),
        Row(400, "AUTH_INVALID_EMAIL", is: .invalidInput("Some text."), .definitive),
        // 401
        Row(401, "AUTH_UNAUTHORIZED", "Invalid credentials", .signIn, is: .invalidCredentials, .definitive),
        Row(401, "AUTH_UNAUTHORIZED", "Invalid token", .user, is: .sessionExpired, .definitive),
        // Nobody's session was involved.
        Row(401, "AUTH_UNAUTHORIZED", is: .server(status: 401, code: "AUTH_UNAUTHORIZED"), .definitive),
        Row(401, "AUTH_UNAUTHORIZED", "Invalid token", .admin, is: .adminTokenRefused, .definitive),
        Row(401, "AUTH_INVALID_CREDENTIALS", "No token provided", .admin, is: .adminTokenRefused, .definitive),
        Row(401, "AUTH_INVALID_API_KEY", "Invalid API key", .admin, is: .adminTokenRefused, .definitive),
        Row(401, "AUTH_TOKEN_EXPIRED", "Too old", .admin, is: .adminTokenRefused, .definitive),
        Row(401, "AUTH_UNAUTHORIZED", "Invalid token", .signUp, is: .invalidKey, .definitive),
        Row(401, "AUTH_UNAUTHORIZED", "Invalid or expired refresh token", .refresh, is: .sessionExpired, .definitive),
        Row(401, "AUTH_UNAUTHORIZED", "Invalid refresh token type", .refresh, is: .sessionExpired, .definitive),
        Row(401, "AUTH_UNAUTHORIZED", "Invalid refresh session type", .refresh, is: .sessionExpired, .definitive),
        Row(401, "AUTH_UNAUTHORIZED", "User not found", .refresh, is: .userNotFound, .definitive),
        Row(
            401, "AUTH_UNAUTHORIZED", "Something new", .refresh, is: .server(status: 401, code: "AUTH_UNAUTHORIZED"),
            .definitive),
        // Forgotten client_type: the session is as good as before.
        Row(
            401, "AUTH_UNAUTHORIZED", "No refresh token provided", .refresh,
            is: .server(status: 401, code: "refresh token not received"), .definitive),
        Row(
            401, "AUTH_UNAUTHORIZED", "Failed to verify Apple ID token", .idToken,
            is: .idTokenRefused("Failed to verify Apple ID token"), .definitive),
        Row(401, "AUTH_INVALID_CREDENTIALS", "No token provided", .signUp, is: .invalidKey, .definitive),
        Row(401, "AUTH_INVALID_CREDENTIALS", "Invalid anon key", .signUp, is: .invalidKey, .definitive),
        Row(401, "AUTH_INVALID_CREDENTIALS", "No token provided", .user, is: .sessionExpired, .definitive),
        Row(401, "AUTH_INVALID_CREDENTIALS", "User not authenticated", .user, is: .sessionExpired, .definitive),
        Row(401, "AUTH_INVALID_CREDENTIALS", "User not found", .user, is: .userNotFound, .definitive),
        Row(401, "AUTH_INVALID_API_KEY", "Invalid API key", is: .invalidKey, .definitive),
        Row(401, "AUTH_TOKEN_EXPIRED", is: .sessionExpired, .definitive),
        // 403
        Row(403, "FORBIDDEN", "Email verification required", .signIn, is: .emailNotVerified, .definitive),
        Row(403, "FORBIDDEN", "Invalid CSRF token", .refresh, is: .forbidden("Invalid CSRF token"), .definitive),
        Row(403, "AUTH_NEED_VERIFICATION", is: .emailNotVerified, .definitive),
        Row(403, "AUTH_UNAUTHORIZED", "Admin access required", is: .forbidden("Admin access required"), .definitive),
        Row(403, "AUTH_SIGNUP_DISABLED", "…", .signUp, is: .signupDisabled, .definitive),
        Row(403, "AUTH_SIGNUP_DISABLED", "…", .idToken, is: .signupDisabled, .definitive),
        Row(403, "AUTH_SIGNUP_DISABLED", "…", .codeSignIn, is: .signupDisabled, .definitive),
        // 404, 409
        Row(404, "AUTH_USER_NOT_FOUND", is: .userNotFound, .definitive),
        Row(404, "AUTH_USER_NOT_FOUND", "User not found", .exchange, is: .userNotFound, .definitive),
        Row(404, "AUTH_OAUTH_CONFIG_NOT_FOUND", is: .notConfigured("Some text."), .unavailable),
        Row(
            404, "SECRET_NOT_FOUND", is: .notConfigured("The project has no anonymous key. Make one in the dashboard."),
            .unavailable),
        Row(404, "NOT_FOUND", "Endpoint /api/x not found", is: tooOld, .unavailable),
        // Servers before May 2026.
        Row(404, "NOT_FOUND", "User not found", is: .userNotFound, .definitive),
        Row(409, "ALREADY_EXISTS", "User already exists", .signUp, is: .userAlreadyExists, .definitive),
        Row(409, "ALREADY_EXISTS", is: .server(status: 409, code: "ALREADY_EXISTS"), .definitive),
        Row(409, "AUTH_EMAIL_EXISTS", "User already exists", .signUp, is: .userAlreadyExists, .definitive),
        Row(
            409, "AUTH_OAUTH_CONFIG_ALREADY_EXISTS",
            is: .server(status: 409, code: "AUTH_OAUTH_CONFIG_ALREADY_EXISTS"), .definitive),
        // The database. Nothing it says reaches a person, and nothing of it is about the person.
        Row(
            409, "DATABASE_DUPLICATE", "duplicate key value violates unique constraint \"users_email_key\"", .idToken,
            is: .databaseFault(status: 409, code: "DATABASE_DUPLICATE"), .transient),
        Row(
            400, "DATABASE_VALIDATION_ERROR", "relation \"auth.users\" does not exist", .signIn,
            is: .databaseFault(status: 400, code: "DATABASE_VALIDATION_ERROR"), .transient),
        Row(
            400, "DATABASE_CONSTRAINT_VIOLATION", "insert or update on table \"x\" violates foreign key constraint",
            is: .databaseFault(status: 400, code: "DATABASE_CONSTRAINT_VIOLATION"), .transient),
        Row(
            400, "MISSING_FIELD", "null value in column \"email\" of relation \"users\"",
            is: .databaseFault(status: 400, code: "MISSING_FIELD"), .transient),
        Row(
            403, "FORBIDDEN", "permission denied for table users", .signIn,
            is: .databaseFault(status: 403, code: "FORBIDDEN"), .transient),
        Row(
            403, "FORBIDDEN", "new row violates row-level security policy for table \"email_verifications\"", .signIn,
            is: .databaseFault(status: 403, code: "FORBIDDEN"), .transient),
        Row(
            400, "INVALID_INPUT", "invalid input syntax for type uuid: \"x\"",
            is: .databaseFault(status: 400, code: "INVALID_INPUT"), .transient),
        // 429
        Row(429, "TOO_MANY_REQUESTS", "Too many …", is: .rateLimited(retryAfter: nil), .transient),
        Row(
            429, "TOO_MANY_REQUESTS", "Please wait 42 seconds before requesting another code for this email",
            is: .rateLimited(retryAfter: .seconds(42)), .transient),
        Row(
            429, "RATE_LIMITED", "Too many emails to this address. Retry after 17s.",
            is: .rateLimited(retryAfter: .seconds(17)), .transient),
        Row(429, "AUTH_VERIFICATION_EMAIL_DELIVERY_FAILED", is: .verificationMailFailed, .definitive),
        // 500 and above
        Row(500, "AUTH_VERIFICATION_EMAIL_DELIVERY_FAILED", is: .verificationMailFailed, .definitive),
        Row(500, "AUTH_OAUTH_CONFIG_ERROR", is: .notConfigured("Some text."), .unavailable),
        Row(500, "EMAIL_SMTP_SEND_FAILED", is: .mailFailed, .transient),
        Row(500, "INTERNAL_ERROR", "select * from", is: .server(status: 500, code: "INTERNAL_ERROR"), .transient),
        Row(
            500, "INTERNAL_ERROR", "Custom OAuth provider k is not configured.", .startOAuth,
            is: .notConfigured("Custom OAuth provider k is not configured."), .unavailable),
        Row(
            501, "AUTH_UNSUPPORTED_PROVIDER", "OAuth provider 'tiktok' is not implemented yet.", .startOAuth,
            is: .notConfigured("OAuth provider 'tiktok' is not implemented yet."), .unavailable),
        Row(503, "EMAIL_PROVIDER_NOT_CONFIGURED", is: .notConfigured("Some text."), .unavailable),
    ]

    private static let noProject = InsForgeAuthError.notConfigured(
        "There is no InsForge project at this address, or its server is too old (status 404). Check baseURL.")
    private static let tooOld = InsForgeAuthError.notConfigured(
        "This InsForge server does not know the request (status 404). Check baseURL; the server may be too old.")

    private static func error(
        _ status: Int, _ body: Data, _ operation: InsForgeAuthError.Operation = .other,
        headers: [String: String] = [:]
    ) throws -> InsForgeAuthError {
        let url = try #require(URL(string: "https://a.example/api/auth/sessions"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: headers))
        return InsForgeAuthError(body, response, during: operation)
    }

    private static func body(_ row: Row) throws -> Data {
        try JSONEncoder().encode(
            [
                "error": .string(row.code), "message": .string(row.text), "statusCode": .integer(Int64(row.status)),
            ] as [String: JSONValue])
    }

    @Test("Each answer is one error of one class", arguments: rows)
    func mapped(row: Row) throws {
        let error = try Self.error(row.status, Self.body(row), row.operation)
        #expect(error == row.error)
        #expect(error.failureClass == row.kind)
        #expect(!error.message.isEmpty && !error.failureCode.isEmpty)
    }

    @Test("No code that the server sends is forgotten")
    func complete() throws {
        let codes = Set(Self.rows.map(\.code))
        let expected: Set = [
            "INVALID_INPUT", "AUTH_UNAUTHORIZED", "AUTH_INVALID_CREDENTIALS", "AUTH_INVALID_API_KEY", "FORBIDDEN",
            "AUTH_SIGNUP_DISABLED", "AUTH_EMAIL_EXISTS", "AUTH_USER_NOT_FOUND", "AUTH_OAUTH_CONFIG_ERROR",
            "AUTH_OAUTH_CONFIG_NOT_FOUND", "AUTH_OAUTH_CONFIG_ALREADY_EXISTS", "AUTH_UNSUPPORTED_PROVIDER",
            "AUTH_VERIFICATION_EMAIL_DELIVERY_FAILED", "EMAIL_PROVIDER_NOT_CONFIGURED", "EMAIL_SMTP_SEND_FAILED",
            "TOO_MANY_REQUESTS", "RATE_LIMITED", "SECRET_NOT_FOUND", "NOT_FOUND", "INTERNAL_ERROR",
            "ALREADY_EXISTS", "DATABASE_DUPLICATE", "DATABASE_VALIDATION_ERROR", "DATABASE_CONSTRAINT_VIOLATION",
            "MISSING_FIELD", "AUTH_INVALID_EMAIL", "AUTH_WEAK_PASSWORD", "AUTH_TOKEN_EXPIRED", "AUTH_NEED_VERIFICATION",
        ]
        #expect(codes == expected)
    }

    @Test(
        "What is not the server's own word ends no session and refuses no password",
        arguments: InsForgeAuthError.Operation.allCases)
    func foreignAnswers(operation: InsForgeAuthError.Operation) throws {
        let page = Data("<html>".utf8)
        #expect(try Self.error(401, page, operation) == .unreadableResponse(status: 401))
        // Where something went on that had begun, there is a project, and a page in its place says nothing about it.
        let goesOn = [.refresh, .user, .exchange].contains(operation)
        #expect(try Self.error(404, page, operation) == (goesOn ? .unreadableResponse(status: 404) : Self.noProject))
        #expect(try Self.error(429, page, operation) == .rateLimited(retryAfter: nil))
        for status in [400, 418] {
            #expect(
                try Self.error(status, page, operation)
                    == (goesOn
                        ? .unreadableResponse(status: status) : .server(status: status, code: "no error code")))
        }
        for status in [500, 502, 503] {
            #expect(try Self.error(status, page, operation) == .server(status: status, code: "no error code"))
        }
        #expect(try Self.error(301, Data(), operation) == .server(status: 301, code: "no error code"))
    }

    @Test("What the server advises is told with its error, unless its database says it")
    func nextActions() throws {
        func error(_ status: Int, _ code: String, _ text: String, _ advice: JSONValue) throws -> InsForgeAuthError {
            let body = try JSONEncoder().encode(
                [
                    "error": .string(code), "message": .string(text), "statusCode": .integer(Int64(status)),
                    "nextActions": advice,
                ] as [String: JSONValue])
            return try Self.error(status, body, .startOAuth)
        }
        #expect(
            try error(400, "INVALID_INPUT", "app://x is not in the allowed redirect URLs", "Please add this URL.")
                == .invalidInput("app://x is not in the allowed redirect URLs. Please add this URL."))
        #expect(
            try error(503, "EMAIL_PROVIDER_NOT_CONFIGURED", "No provider.", "Configure SMTP.").message
                == "No provider. Configure SMTP.")
        #expect(
            try error(418, "NEW", "What it is.", "Brew coffee.")
                == .server(status: 418, code: "NEW", nextActions: "Brew coffee."))
        #expect(
            try error(418, "NEW", "", "Brew coffee.").message
                == "The server returned an error (418 NEW). Brew coffee.")
        #expect(
            try error(418, "NEW", "", "relation \"x\" does not exist") == .server(status: 418, code: "NEW"))
        // Advice that is no text costs neither code nor text.
        #expect(try error(400, "INVALID_INPUT", "email: Required", ["a": 1]) == .invalidInput("email: Required"))
    }

    @Test(
        "What a database says is never shown, wherever it stands",
        arguments: [
            "relation \"auth.users\" does not exist", "column \"x\" of relation \"users\" does not exist",
            "duplicate key value violates unique constraint \"users_pkey\"", "permission denied for table users",
            "syntax error at or near \"SELECT\"", "connect ECONNREFUSED 127.0.0.1:5432",
            "column users.secret does not exist", "function auth.uid(text, \"Own\") does not exist",
            "first: type \"mood\" does not exist", "a does not exist, role \"b\" does not exist",
            "insert violates foreign key constraint", "violates, and violates check constraint",
            "INSERT INTO \"users\" values", "update public.users set a", "delete from users", "delete from users where",
            "select a from b where c", "select $1", "create table", "alter table users",
        ])
    func databaseTexts(text: String) throws {
        for operation in InsForgeAuthError.Operation.allCases {
            for (status, code) in [
                (400, "INVALID_INPUT"), (401, "AUTH_UNAUTHORIZED"), (403, "FORBIDDEN"), (403, "OTHER"),
                (500, "AUTH_OAUTH_CONFIG_ERROR"), (500, "INTERNAL_ERROR"),
            ] {
                let body = try Self.body(Row(status, code, text, is: .cancelled, .transient))
                let error = try Self.error(status, body, operation)
                #expect(!error.message.contains(text.prefix(12)), "\(operation) \(status) \(code)")
            }
        }
        let escaped = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let callback = try InsForgeCallback(
            #require(URL(string: "app://cb?error=" + escaped)), redirectURI: #require(URL(string: "app://cb")))
        #expect(callback == .failure("no reason was given"))
    }

    @Test(
        "What only has words of a database is shown",
        arguments: [
            "The page does not exist", "Your role does not exist", "This \"name\" does not exist",
            "A function (any) does not exist", "This violates our rules; no constraint",
            "Selected where", "Update your address", "Delete from: here", "Create tab",
        ])
    func textsOfPeople(text: String) throws {
        let error = try Self.error(400, Self.body(Row(400, "INVALID_INPUT", text, is: .cancelled, .transient)), .other)
        #expect(error == .invalidInput(text))
    }

    @Test("An unknown code is named, unless it could be a token; an internal text never is")
    func unknownCodes() throws {
        func message(_ status: Int, _ code: String) throws -> String {
            try Self.error(status, Self.body(Row(status, code, "SELECT secret", is: .cancelled, .transient))).message
        }
        #expect(
            try message(500, "AUTH_SOMETHING_NEW")
                == "The server returned an error (500 AUTH_SOMETHING_NEW). Try again later.")
        #expect(try !message(500, String(repeating: "ab", count: 40)).contains("abab"))
        #expect(try !message(500, "INTERNAL_ERROR").contains("SELECT"))
    }
}
