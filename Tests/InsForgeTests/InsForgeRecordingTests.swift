import Foundation
import IdentityKit
import TestSupport
import Testing

@testable import InsForge

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Every answer of a real backend that this provider can get is read by the provider's own types.
@Suite struct InsForgeRecordingTests {
    /// What the provider does not ask for, so it has nothing to read it with.
    private static let notAskedFor = [
        "/api/auth/admin/", "/api/auth/tokens/anon", "/api/auth/oauth/custom/configs", "/oauth2/",
        "/api/auth/oauth/custom/mock/callback",
    ]

    @Test("Recorded answers are understood")
    func understood() throws {
        var read = 0
        for exchange in try Recording.load("insforge.api") {
            let url = try #require(URL(string: exchange.request.url))
            guard !Self.notAskedFor.contains(where: { url.path.hasPrefix($0) }) else { continue }
            let body = Data((exchange.response.body ?? "").utf8)
            let response = try #require(
                HTTPURLResponse(
                    url: url, statusCode: exchange.response.status, httpVersion: nil,
                    headerFields: exchange.response.headers))
            if response.statusCode < 300 {
                try checkSuccess(url, body)
            } else {
                try checkRefusal(url, body, response)
            }
            read += 1
        }
        #expect(read > 20)
    }

    @Test("Where the browser is sent back is understood")
    func callbacks() throws {
        let redirectURI = try #require(URL(string: "http://127.0.0.1:9999/callback"))
        let locations = try Recording.load("insforge.api").compactMap { $0.response.headers["Location"] }
            .filter { $0.hasPrefix(redirectURI.absoluteString) }
        #expect(!locations.isEmpty)
        for location in locations {
            let callback = try InsForgeCallback(#require(URL(string: location)), redirectURI: redirectURI)
            guard case .code(let code) = callback else {
                Issue.record("no code in \(location)")
                continue
            }
            #expect(code.reveal().count == 64)
        }
    }

    private func checkSuccess(_ url: URL, _ body: Data) throws {
        switch url.path {
        case "/api/auth/users":
            let response = try JSONDecoder().decode(SignUpResponse.self, from: body)
            #expect(response.hasSession && !response.needsEmailVerification)
            #expect(response.user?.profile?.name == "Alice Doe")
        case "/api/auth/sessions", "/api/auth/refresh", "/api/auth/oauth/exchange":
            let answer = try JSONDecoder().decode(SessionResponse.self, from: body)
            #expect(answer.user.email == "alice@example.org")
            #expect(answer.user.providers?.contains("email") == true)
            // Only a web client, which this is not, gets no refresh token in the body.
            #expect((answer.refreshToken != nil) == (url.query?.contains("client_type=mobile") == true))
        case "/api/auth/sessions/current":
            let answer = try JSONDecoder().decode([String: User].self, from: body)
            #expect(answer["user"]?.id.isEmpty == false)
        case "/api/auth/oauth/custom/mock":
            let answer = try JSONDecoder().decode(InsForgeAPI.AuthorizationResponse.self, from: body)
            #expect(URL(string: answer.authUrl)?.scheme == "http")
        case "/api/auth/logout":
            _ = try JSONValue(parsing: body)
        case "/api/auth/public-config":
            let config = try JSONDecoder().decode(PublicConfig.self, from: body)
            #expect(config.passwordMinLength == 6 && config.verifyEmailMethod == .code)
        case _ where url.path.hasPrefix("/api/auth/profiles/"):
            let profile = try JSONDecoder().decode(Profile.self, from: body)
            #expect(UUID(uuidString: profile.id) != nil && profile.profile?.name != nil)
        case _ where url.path.hasPrefix("/api/auth/email/"):
            _ = try JSONValue(parsing: body)
        default:
            Issue.record("\(url.path) is not read by anything")
        }
    }

    private func checkRefusal(_ url: URL, _ body: Data, _ response: HTTPURLResponse) throws {
        #expect(InsForgeErrorResponse(body) != nil)
        #expect(try JSONValue(parsing: body)["statusCode"] == .integer(Int64(response.statusCode)))
        let operation: InsForgeAuthError.Operation =
            switch url.path {
            case "/api/auth/users": .signUp
            case "/api/auth/sessions": .signIn
            case "/api/auth/refresh": .refresh
            case "/api/auth/sessions/current", "/api/auth/profiles/current": .user
            default: .other
            }
        let error = InsForgeAuthError(body, response, during: operation)
        if case .server = error { Issue.record("\(url.path) \(response.statusCode) has no error of its own") }
        #expect(!error.message.isEmpty)
    }
}
