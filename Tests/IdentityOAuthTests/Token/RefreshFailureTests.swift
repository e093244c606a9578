import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import Testing

/// The table of the article on refreshing tokens, row by row.
@Suite("What a refresh request comes to")
struct RefreshFailureTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: LocalResponse
        let outcome: RefreshOutcome
    }

    private static func error(_ code: String, _ status: Int, _ outcome: RefreshOutcome) -> Row {
        Row(
            testDescription: "\(status) \(code)", answer: .json(["error": .string(code)], status: status),
            outcome: outcome)
    }

    private static func empty(_ status: Int, _ outcome: RefreshOutcome) -> Row {
        Row(testDescription: "\(status) and nothing", answer: LocalResponse(status: status), outcome: outcome)
    }

    private static func page(_ status: Int, _ outcome: RefreshOutcome) -> Row {
        Row(
            testDescription: "\(status) with a page", answer: .html("<html>invalid_grant</html>", status: status),
            outcome: outcome)
    }

    private static func other(_ name: String, _ answer: LocalResponse, _ outcome: RefreshOutcome) -> Row {
        Row(testDescription: name, answer: answer, outcome: outcome)
    }

    /// The token is dead, by the server's own word.
    private static let refused = [
        error("invalid_grant", 400, .refused), error("invalid_grant", 401, .refused),
        error("invalid_grant", 403, .refused), error("invalid_grant", 200, .refused),
        error("invalid_token", 401, .refused), error("expired_token", 400, .refused),
    ]

    /// The server wants the person.
    private static let personNeeded = [
        error("login_required", 400, .personNeeded), error("interaction_required", 400, .personNeeded),
        error("consent_required", 400, .personNeeded), error("account_selection_required", 400, .personNeeded),
        error("insufficient_user_authentication", 401, .personNeeded),
    ]

    /// The token may be dead.
    private static let ambiguous = [
        error("invalid_request", 400, .ambiguous), error("access_denied", 403, .ambiguous),
        error("invalid_request", 200, .ambiguous), error("access_denied", 400, .ambiguous),
        error("access_denied", 401, .ambiguous),
        error("token_inactive", 401, .ambiguous), error("Unauthorized", 401, .ambiguous),
        empty(400, .ambiguous), empty(401, .ambiguous),
        other("400 with a word", .text("no", status: 400), .ambiguous),
        other("401 with other JSON", .json(["message": "no"], status: 401), .ambiguous),
    ]

    /// The client is not accepted.
    private static let misconfigured = [
        error("invalid_client", 401, .misconfigured), error("unauthorized_client", 400, .misconfigured),
        error("unsupported_grant_type", 400, .misconfigured), error("invalid_dpop_proof", 400, .misconfigured),
        error("unsupported_response_type", 400, .misconfigured), error("unsupported_token_type", 400, .misconfigured),
    ]

    /// What the session has is not given any more.
    private static let stepUpNeeded = [
        error("invalid_scope", 400, .stepUpNeeded), error("invalid_target", 400, .stepUpNeeded),
        error("insufficient_scope", 403, .stepUpNeeded),
    ]

    /// The token was not looked at.
    private static let unspent =
        [400, 401, 403, 404, 407, 413, 429].map { page($0, .unspent) }
        + [403, 404, 405, 407, 408, 413, 429].map { empty($0, .unspent) }
        + [
            error("Not Found", 404, .unspent), error("invalid_request", 404, .unspent),
            error("forbidden", 403, .unspent), error("invalid_request", 407, .unspent),
            error("invalid_grant", 408, .unspent), error("invalid_grant", 429, .unspent),
            error("temporarily_unavailable", 400, .unspent), error("slow_down", 400, .unspent),
            error("authorization_pending", 400, .unspent), error("use_dpop_nonce", 400, .unspent),
            error("invalid_request", 425, .unspent),
            other("429 with Retry-After", LocalResponse(status: 429, headers: [("Retry-After", "5")]), .unspent),
            other("503 with Retry-After", LocalResponse(status: 503, headers: [("Retry-After", "5")]), .unspent),
            other("a redirect", .redirect(to: "https://elsewhere.example"), .unspent),
            // A captive portal.
            page(200, .unspent),
            other("400 with a page that says it is text", .text("\n<!DOCTYPE html>", status: 400), .unspent),
        ]

    /// The server may have spent the token.
    private static let inDoubt =
        [
            error("temporarily_unavailable", 503, .inDoubt), error("server_error", 500, .inDoubt),
        ]
        + [500, 502, 503, 504].flatMap {
            [page($0, .inDoubt), empty($0, .inDoubt), error("invalid_grant", $0, .inDoubt)]
        }

    /// The same, and a setting may be wrong.
    private static let unreadable = [
        empty(204, .unreadable), empty(200, .unreadable), other("200 that is no JSON", .text("not json"), .unreadable),
        other("200 without a token", .json([:]), .unreadable),
        other("200 with a token elsewhere", .json(["data": ["token": "t"]]), .unreadable),
        other("200 with a list", .json([]), .unreadable),
    ]

    static let rows = refused + personNeeded + ambiguous + misconfigured + stepUpNeeded + unspent + inDoubt + unreadable

    @Test("A response means for the token what the table says", arguments: rows)
    func table(row: Row) async throws {
        let session = try await OpenIDSession()
        session.server.http.fail(.answer(row.answer), pathPrefix: "/token")
        #expect(await session.outcome() == row.outcome)
        // The server did not act on it, so the token is still good.
        #expect(await session.outcome() == .refreshed)
        await session.server.stop()
    }

    @Test("A vendor's own words end a session when status, code and text are all theirs, and the server has not failed")
    func finalRefusals() async throws {
        let words = FinalRefusal(
            status: 200, error: "bad_refresh_token",
            description: "The refresh token passed is incorrect or expired.")
        var format = TokenResponseFormat()
        format.finalRefusals = [
            words, FinalRefusal(status: 500, error: "failed", description: "Gone."),
            FinalRefusal(status: 400, error: "Bad Request", description: "Invalid refresh token"),
        ]
        let session = try await OpenIDSession(format: format)
        func outcome(
            _ status: Int, _ error: String?, _ text: String?, in member: String = "error_description"
        ) async -> RefreshOutcome {
            var members = ["error": error, member: text].compactMapValues { $0.map(JSONValue.string) }
            members["status"] = .integer(Int64(status))
            session.server.http.fail(.answer(.json(.object(members), status: status)), pathPrefix: "/token")
            return await session.outcome()
        }
        #expect(await outcome(200, words.error, words.description) == .refused)
        #expect(await outcome(400, "Bad Request", "Invalid refresh token", in: "message") == .refused)
        #expect(await outcome(400, words.error, words.description) == .ambiguous)
        #expect(await outcome(200, "bad_refresh_tokens", words.description) == .ambiguous)
        #expect(await outcome(200, words.error, words.description + " ") == .ambiguous)
        #expect(await outcome(200, words.error, nil) == .ambiguous)
        #expect(await outcome(400, nil, "Invalid refresh token", in: "message") == .ambiguous)
        #expect(await outcome(500, "failed", "Gone.") == .inDoubt)
        #expect(await outcome(403, "Bad Request", "Invalid refresh token", in: "message") == .unspent)
        await session.server.stop()
    }

    @Test(
        "A dead token is known by what real servers say to it",
        arguments: [
            (nil, RefreshOutcome.refused), (.deadRefreshTokenIsInvalidRequest, .ambiguous),
            (.emptyErrorBody, .ambiguous), (.deadRefreshTokenIsUnauthorized, .ambiguous),
            (.deadRefreshTokenIsServerError, .inDoubt), (.htmlErrors, .unspent),
        ] as [(LocalOpenIDConnectServer.Variation?, RefreshOutcome)])
    func deadToken(variation: LocalOpenIDConnectServer.Variation?, outcome: RefreshOutcome) async throws {
        let session = try await OpenIDSession()
        session.server.revokeAllFamilies()
        if let variation { session.server.vary(variation) }
        #expect(await session.outcome() == outcome)
        await session.server.stop()
    }

    @Test("A connection that broke after the request leaves the token in doubt; one that was never made does not")
    func connections() async throws {
        let session = try await OpenIDSession()
        session.server.http.fail(.dropAnswer, pathPrefix: "/token")
        #expect(await session.outcome() == .inDoubt)
        await session.server.stop()
        #expect(await session.outcome() == .notSent)
    }

    @Test("What fails before anything is sent is a mistake of the settings, or passes")
    func beforehand() async throws {
        let session = try await OpenIDSession()
        func outcome(_ error: OAuthError) async throws -> RefreshOutcome {
            RefreshOutcome(
                try await OAuthConnection(discover: { throw error })
                    .refresh(session.credential, in: OpenIDSession.context))
        }
        #expect(try await outcome(.invalidResponse(.failedStatus(401), host: "id.example")) == .notSent)
        #expect(try await outcome(.invalidSetting(.insecureEndpoint(host: "id.example"))) == .misconfigured)
        #expect(
            try await outcome(.invalidMetadata(.issuerMismatch(expected: "a", received: "b"))) == .misconfigured)
        #expect(session.server.http.log.count { $0.path == "/token" } == 1)
        await session.server.stop()
    }

    @Test("Without a refresh token nothing is sent")
    func noRefreshToken() async throws {
        let session = try await OpenIDSession()
        var credential = session.credential
        credential.refreshToken = nil
        #expect(RefreshOutcome(try await session.refresh(credential)) == .refused)
        #expect(session.server.http.log.count { $0.path == "/token" } == 1)
        await session.server.stop()
    }

    private struct Translated: Error, Equatable {
        let code: String
    }

    @Test(
        "Every failure is an error of the provider",
        arguments: [
            (400, "invalid_request"), (401, "invalid_client"), (429, "slow_down"), (500, "server_error"),
        ])
    func translation(status: Int, code: String) async throws {
        let session = try await OpenIDSession()
        let answer = LocalResponse.json(["error": .string(code)], status: status)
        session.server.http.fail(.answer(answer), pathPrefix: "/token")
        var told: (any Error)?
        do {
            let result = try await session.connection.refresh(
                session.credential, in: OpenIDSession.context,
                translating: { Translated(code: $0.identityFailureCode) })
            switch result {
            case .ambiguous(let error, _), .misconfigured(let error), .stepUpNeeded(let error), .notSent(let error),
                .unspent(let error, _, _), .unreadable(let error, _),
                .unusable(_, let error), .personNeeded(let error, _), .clientUnknown(let error, _):
                told = error
            case .refreshed, .refused: break
            }
        } catch {
            told = error
        }
        #expect(told as? Translated == Translated(code: code))
        await session.server.stop()
    }

    @Test("The reason says what the server says, on one line and without anything that could be a token")
    func reason() async throws {
        let session = try await OpenIDSession()
        let description = "Token revoked\nby an administrator: \(String(repeating: "x", count: 60))"
        session.server.http.fail(
            .answer(.json(["error": "invalid_grant", "error_description": .string(description)], status: 400)),
            pathPrefix: "/token")
        guard case .refused(let reason) = try await session.refresh() else {
            Issue.record("not refused")
            return
        }
        #expect(
            reason == "The server no longer accepts it. The server says: \"Token revoked by an administrator: ...\".")
        await session.server.stop()
    }
}
