import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("InsForge OAuth: init, callback, exchange", .stopsServers)
struct InsForgeOAuthTests {
    // MARK: Init

    @Test("The address has the server's parameters and hands the app's others on")
    func authorizationURL() async throws {
        let probe = try await InsForgeProbe.start()
        let url = try await probe.startOAuth("google", extra: "&prompt=select_account&state=mine&scope=all")
        let query = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems)
        let parameters = Dictionary(grouping: query, by: \.name).mapValues { $0.map(\.value) }
        #expect(Set(parameters.keys) == ["client_id", "redirect_uri", "response_type", "scope", "state", "prompt"])
        #expect(parameters["redirect_uri"] == [probe.server.url.absoluteString + "/api/auth/oauth/google/callback"])
        #expect(parameters["prompt"] == ["select_account"])
        #expect(parameters["scope"] == ["openid+email+profile"])
        #expect(parameters["state"]?.count == 1)

        let state = try #require(ReadToken.claims(parameters["state"]?.first.flatMap { $0 } ?? ""))
        let now = Int64(probe.clock.now.timeIntervalSince1970)
        #expect(
            state == [
                "provider": "google", "redirectUri": "app://cb", "codeChallenge": .string(InsForgeProbe.challenge),
                "createdAt": .integer(now * 1000), "iat": .integer(now), "exp": .integer(now + 3600),
            ])
    }

    /// An init request that is refused.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let target: String
        let status: Int
        let code: String
        let message: String
        var testDescription: String { target }
    }

    private static let good = "?redirect_uri=app%3A%2F%2Fcb&code_challenge=" + InsForgeProbe.challenge

    @Test(
        "Init checks provider, query, allow list and configuration in this order",
        arguments: [
            Refusal(
                target: "tiktok", status: 400, code: "INVALID_INPUT",
                message: "redirect_uri: Redirect URI is required, code_challenge: Required"),
            Refusal(
                target: "google?redirect_uri=nowhere&code_challenge=+", status: 400, code: "INVALID_INPUT",
                message: "redirect_uri: Invalid url, code_challenge: Code challenge must be at least 43 characters, "
                    + "code_challenge: Code challenge must be base64url encoded"),
            Refusal(
                target: "google" + good + "&prompt=a&prompt=b", status: 400, code: "INVALID_INPUT",
                message: "prompt: Expected string, received array"),
            Refusal(
                target: "tiktok?redirect_uri=app%3A%2F%2Fother&code_challenge=" + InsForgeProbe.challenge, status: 400,
                code: "INVALID_INPUT", message: "app://other is not in the allowed redirect URLs"),
            Refusal(
                target: "tiktok" + good, status: 501, code: "AUTH_UNSUPPORTED_PROVIDER",
                message: "OAuth provider 'tiktok' is not implemented yet."),
            Refusal(
                target: "discord" + good, status: 500, code: "AUTH_OAUTH_CONFIG_ERROR",
                message: "discord OAuth is not properly configured. Please check your oauth configurations."),
            Refusal(
                target: "custom/Mock" + good, status: 400, code: "INVALID_INPUT", message: "Invalid custom OAuth key"),
            Refusal(
                target: "custom/mock?redirect_uri=app%3A%2F%2Fother&code_challenge=" + InsForgeProbe.challenge,
                status: 400,
                code: "INVALID_INPUT", message: "app://other is not in the allowed redirect URLs"),
            Refusal(
                target: "custom/other" + good, status: 500, code: "INTERNAL_ERROR",
                message: "Custom OAuth provider other is not configured."),
        ])
    func initRefusals(refusal: Refusal) async throws {
        let probe = try await InsForgeProbe.start { $0.allowedRedirectURLs = ["app://cb"] }
        let answer = try await probe.send("GET", "/api/auth/oauth/" + refusal.target)
        #expect(answer.failure == Failure(refusal.status, refusal.code, refusal.message))
    }

    // MARK: The whole way

    @Test(
        "A sign-in ends with a code in the app's address, which the verifier exchanges once",
        arguments: [
            ("google", "google"), ("github", "github"), ("custom/mock", "mock"),
        ])
    func signIn(path: String, provider: String) async throws {
        let probe = try await InsForgeProbe.start()
        let redirect = "https://a.example/cb?x=a%20b#top"
        let callback = try await probe.browse(path, redirect: redirect)
        let code = try #require(callback.formParameters["insforge_code"])
        #expect(callback.absoluteString == "https://a.example/cb?x=a+b&insforge_code=\(code)#top")
        #expect(code.wholeMatch(of: #/[0-9a-f]{64}/#) != nil)

        let answer = try await probe.exchange(code)
        #expect(Set(answer.json.objectValue?.keys.map { $0 } ?? []) == ["user", "accessToken", "refreshToken"])
        // The seeded user is found by address and gets the provider linked.
        #expect(answer.json["user"]?["id"]?.stringValue == probe.server.user.id)
        #expect(answer.json["user"]?["providers"] == [.string(provider), "email"])
        #expect(try await probe.refresh(answer.text("refreshToken")).status == 200)
        #expect(try await probe.exchange(code).failure == .invalid("Invalid or expired code"))
        #expect(probe.server.counters.exchanges == 1)
    }

    @Test("A malformed request burns nothing")
    func malformedExchange() async throws {
        let probe = try await InsForgeProbe.start()
        let code = try await probe.oauthCode()
        #expect(try await probe.exchange(code, verifier: "short").status == 400)
        #expect(try await probe.exchange(code).status == 200)
    }

    @Test("A code lives 5 minutes, and expiry is seen before the verifier", arguments: [(300, 200), (301, 400)])
    func codeLifetime(seconds: Int, status: Int) async throws {
        let probe = try await InsForgeProbe.start()
        let code = try await probe.oauthCode()
        probe.clock.advance(by: .seconds(seconds))
        let answer = try await probe.exchange(code)
        #expect(answer.status == status)
        #expect(status == 200 || answer.text("message") == "Invalid or expired code")
    }

    @Test("The user must still exist")
    func deletedUser() async throws {
        let probe = try await InsForgeProbe.start()
        let code = try await probe.oauthCode()
        probe.server.deleteUser(id: probe.server.user.id)
        #expect(try await probe.exchange(code).failure == Failure(404, "AUTH_USER_NOT_FOUND", "User not found"))
    }

    // MARK: Users

    @Test("A new address becomes a new verified user; the account is known afterwards, whatever its address")
    func newUser() async throws {
        let probe = try await InsForgeProbe.start {
            $0.providerIdentity = .init(
                subject: "1", email: "Ada@Example.org", name: "Ada", avatarURL: "https://img.example/a.png")
        }
        let first = try await probe.exchange(probe.oauthCode()).json["user"]
        #expect(first?["email"] == "Ada@Example.org")
        #expect(first?["emailVerified"] == true)
        #expect(first?["providers"] == ["google"])
        #expect(first?["profile"] == ["name": "Ada", "avatar_url": "https://img.example/a.png"])
        probe.server.reconfigure {
            $0.disableSignup = true
            $0.providerIdentity = .init(subject: "1", email: "changed@example.org", name: "Ada")
        }
        let second = try await probe.exchange(probe.oauthCode()).json["user"]
        #expect(second?["id"] == first?["id"])
    }

    @Test("An address is matched without regard to case, and the match counts as verified")
    func linking() async throws {
        let probe = try await InsForgeProbe.start {
            $0.user.emailVerified = false
            $0.requireEmailVerification = true
            $0.providerIdentity = .init(email: "ROBIN@example.org", name: "R")
        }
        let user = try await probe.exchange(probe.oauthCode()).json["user"]
        #expect(user?["id"]?.stringValue == probe.server.user.id)
        #expect(try await probe.signIn().status == 200)
    }

    @Test("A login hint that is an address signs in as that address")
    func loginHint() async throws {
        let probe = try await InsForgeProbe.start()
        let callback = try await probe.browse("custom/mock", extra: "&login_hint=ada%40example.test")
        let code = try #require(callback.formParameters["insforge_code"])
        #expect(try await probe.exchange(code).json["user"]?["email"] == "ada@example.test")
    }

    // MARK: Configuration by an administrator

    @Test("An administrator adds providers, once each; one elsewhere cannot be reached")
    func addProviders() async throws {
        let probe = try await InsForgeProbe.start()
        func add(_ path: String, _ body: JSONValue) async throws -> LocalAnswer {
            try await probe.send("POST", "/api/auth/oauth/" + path, body, bearer: probe.server.apiKey)
        }
        let discord: JSONValue = ["provider": "discord", "useSharedKey": false, "clientId": "x"]
        #expect(try await add("configs", discord).status == 200)
        #expect(try await add("configs", discord).text("error") == "AUTH_OAUTH_CONFIG_ALREADY_EXISTS")
        #expect(
            try await add("configs", ["provider": "apple", "useSharedKey": true]).text("error")
                == "AUTH_OAUTH_CONFIG_ERROR")
        let custom: JSONValue = [
            "key": "far", "name": "Far", "clientId": "c", "clientSecret": "s",
            "discoveryEndpoint": "https://far.example/.well-known/openid-configuration",
        ]
        #expect(try await add("custom/configs", custom).json["clientSecret"] == nil)
        #expect(try await add("custom/configs", custom).status == 409)
        #expect(try await add("custom/configs", [:]).status == 400)

        let configuration = try await probe.send("GET", "/api/auth/public-config").json
        #expect(configuration["oAuthProviders"] == ["discord", "github", "google"])
        #expect(configuration["customOAuthProviders"] == ["mock", "far"])
        _ = try await probe.browse("discord")
        let far = try await probe.send("GET", "/api/auth/oauth/custom/far" + Self.good)
        #expect(far.failure == Failure(500, "INTERNAL_ERROR", "Failed to fetch discovery document for far"))
    }
}
