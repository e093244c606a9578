import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import TestSupport
import Testing

/// The official SDK's defects in what comes back from a browser.
@Suite struct CallbackDefectTests {
    /// A client with a page of Google's open, and where that page leads.
    private func flow(
        _ fixture: InsForgeFixture, redirectTo: String = "example://auth/callback",
        _ adjust: (inout InsForgeClientOptions) -> Void = { _ in }
    ) async throws -> (InsForgeClient, callback: URL) {
        let pages = OpenedPages()
        let client = fixture.client {
            $0.auth.openURL = pages.open
            adjust(&$0)
        }
        try await client.auth.signInWithOAuthView(provider: .google, redirectTo: redirectTo)
        return (client, try await fixture.visit(try #require(pages.all.first)))
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("defect D3: a token in an address is no session, not even while a sign-in waits", .guards("implicit grant"))
    func d3() async throws {
        try await InsForgeFixture.run { fixture in
            let attacker = try await fixture.signedInClient()
            let token = try #require(attacker.auth.getSession()?.accessToken)
            try await attacker.auth.signOut()
            let (client, _) = try await flow(fixture) { $0.auth.addsStateToRedirect = false }
            let forged = try url(
                "example://auth/callback?access_token=\(token)&user_id=\(fixture.server.user.id)&email=robin%40example.org"
            )
            await #expect(
                throws: InsForgeAuthError.invalidCallback("it brings a token in its address, which is refused.")
            ) { try await client.auth.handleAuthCallback(forged) }
            #expect(client.auth.getSession() == nil)
        }
    }

    @Test(
        "defect D4: a callback without a waiting sign-in, or at another address, is refused without a request",
        .guards("redirect URI", "state"))
    func d4() async throws {
        try await InsForgeFixture.run { fixture in
            let idle = fixture.client(store: MemoryTokenStore())
            await #expect(throws: InsForgeAuthError.self) {
                try await idle.auth.handleAuthCallback(try url("example://auth/callback?insforge_code=abc"))
            }
            let (client, callback) = try await flow(fixture)
            let query = try #require(callback.query)
            for address in [
                "example://auth/other", "example://evil/callback", "other://auth/callback", "example://auth:9/callback",
                "https://auth/callback",
            ] {
                let error = await #expect(throws: InsForgeAuthError.self) {
                    try await client.auth.handleAuthCallback(try url("\(address)?\(query)"))
                }
                #expect(error?.failureCode == "invalid_callback")
            }
            #expect(fixture.requests(to: "/api/auth/oauth/exchange") == 0)
            #expect(try await client.auth.handleAuthCallback(callback).user.id == fixture.server.user.id)
            // It waits no longer, so the same address is worth nothing after a minute.
            fixture.clock.advance(by: .seconds(61))
            let error = await #expect(throws: InsForgeAuthError.self) {
                try await client.auth.handleAuthCallback(callback)
            }
            #expect(error?.message.contains("over already") == true)
            #expect(fixture.requests(to: "/api/auth/oauth/exchange") == 1)
        }
    }

    @Test("defect D4: after a sign-up, the copy of an earlier callback is refused")
    func d4AfterSignUp() async throws {
        try await InsForgeFixture.run { fixture in
            let (client, callback) = try await flow(fixture)
            _ = try await client.auth.handleAuthCallback(callback)
            let response = try await client.auth.signUp(email: "new@example.org", password: "horse-battery-9")
            #expect(response.hasSession)
            let error = await #expect(throws: InsForgeAuthError.self) {
                try await client.auth.handleAuthCallback(callback)
            }
            #expect(error?.failureCode == "invalid_callback")
            #expect(client.auth.getSession()?.user.id == response.user?.id)
        }
    }

    @Test("defect D5: with a state of its own, a flow takes only the answer that brings it")
    func d5() async throws {
        try await InsForgeFixture.run { fixture in
            let (client, callback) = try await flow(fixture) { $0.auth.addsStateToRedirect = true }
            let components = try #require(URLComponents(url: callback, resolvingAgainstBaseURL: false))
            let state = try #require(components.queryItems?.first { $0.name == "state" }?.value)
            #expect(state.count == 32)
            for forged in [
                callback.absoluteString.replacingOccurrences(of: state, with: String(state.reversed())),
                callback.absoluteString.replacingOccurrences(of: "state=\(state)&", with: ""),
            ] {
                await #expect(throws: InsForgeAuthError.self) {
                    try await client.auth.handleAuthCallback(try url(forged))
                }
            }
            #expect(fixture.requests(to: "/api/auth/oauth/exchange") == 0)
            _ = try await client.auth.handleAuthCallback(callback)
        }
    }

    @Test("defect D5: the redirect keeps its own query and fragment beside the state")
    func d5Query() async throws {
        try await InsForgeFixture.run { fixture in
            let (client, callback) = try await flow(fixture, redirectTo: "https://app.example.org/cb?x=1#part") {
                $0.auth.addsStateToRedirect = true
            }
            #expect(callback.query?.hasPrefix("x=1&state=") == true)
            #expect(callback.fragment == "part")
            _ = try await client.auth.handleAuthCallback(callback)
        }
    }

    @Test(
        "defect D6: two flows, and clients of two projects on one store, keep their own verifiers",
        .guards("fresh values"))
    func d6() async throws {
        let store = MemoryTokenStore()
        try await InsForgeFixture.run(store: store) { first in
            try await InsForgeFixture.run(store: store) { second in
                let (client, callback) = try await flow(first)
                let (otherClient, otherCallback) = try await flow(second)
                // A second flow of the first project, with an address of its own, must not replace its verifier.
                let (sameClient, sameCallback) = try await flow(first, redirectTo: "example://other/callback")
                #expect(try await client.auth.handleAuthCallback(callback).user.id == first.server.user.id)
                #expect(try await otherClient.auth.handleAuthCallback(otherCallback).user.id == second.server.user.id)
                #expect(try await sameClient.auth.handleAuthCallback(sameCallback).user.id == first.server.user.id)
            }
        }
    }

    @Test("defect D6: two flows at one address are told apart by their state")
    func d6State() async throws {
        try await InsForgeFixture.run { fixture in
            let (client, first) = try await flow(fixture) { $0.auth.addsStateToRedirect = true }
            let (_, second) = try await flow(fixture) { $0.auth.addsStateToRedirect = true }
            _ = try await client.auth.handleAuthCallback(first)
            _ = try await client.auth.handleAuthCallback(second)
            #expect(fixture.server.counters.exchanges == 2)
        }
    }

    @Test("defect D6: a flow survives a restart of the app, and expires after an hour")
    func d6Restart() async throws {
        for (age, works) in [(3599, true), (3600, false)] {
            try await InsForgeFixture.run { fixture in
                let (_, callback) = try await flow(fixture)
                // The client is new, as after a restart. Its code would be too old, so only the flow is looked at.
                let client = fixture.client()
                fixture.clock.advance(by: .seconds(age))
                let error = await #expect(throws: InsForgeAuthError.self) {
                    try await client.auth.handleAuthCallback(callback)
                }
                #expect(error?.failureCode == (works ? "oauth_failed" : "invalid_callback"))
                #expect(works || error?.message.contains("too long") == true)
            }
        }
    }

    @Test("defect D6: a flow is stored with the members that another client needs to finish it")
    func d6Format() async throws {
        let store = MemoryTokenStore()
        try await InsForgeFixture.run(store: store) { fixture in
            let (_, callback) = try await flow(fixture)
            let record = try #require(try await store.records(in: .pendingFlows).records.first)
            let content = try #require(record.content)
            let members = try #require(try JSONValue(parsing: content).objectValue)
            #expect(
                members.keys.sorted() == [
                    "backend", "expiresAt", "id", "kind", "redirectURI", "startedAt", "verifier",
                ])
            #expect(members["kind"] == "oauth")
            #expect(record.key == StoreKey(.pendingFlows, "insforge-" + (members["id"]?.stringValue ?? "")))
            #expect(try await fixture.client().auth.handleAuthCallback(callback).user.id == fixture.server.user.id)
            #expect(try await store.records(in: .pendingFlows).records.allSatisfy { $0.content == nil })
        }
    }

    @Test("defect D7: a forged callback costs its code, not the sign-in that waits")
    func d7() async throws {
        try await InsForgeFixture.run { fixture in
            let (client, callback) = try await flow(fixture) { $0.auth.addsStateToRedirect = false }
            let hex = String(repeating: "0a", count: 32)
            let forgeries = [
                "insforge_code=" + hex: "oauth_failed", "error=Nothing+happened": "oauth_failed",
                // No mail was asked for, so nothing waits for its link.
                "insforge_status=success&insforge_type=verify_email": "invalid_callback",
                "insforge_status=ready&insforge_type=reset_password&token=" + hex: "invalid_callback",
            ]
            for (query, code) in forgeries {
                let error = await #expect(throws: InsForgeAuthError.self) {
                    try await client.auth.handleAuthCallback(try url("example://auth/callback?" + query))
                }
                #expect(error?.failureCode == code)
            }
            #expect(try await client.auth.handleAuthCallback(callback).user.id == fixture.server.user.id)
        }
    }

    @Test("defect D7: an exchange that got no answer leaves the flow waiting")
    func d7Network() async throws {
        try await InsForgeFixture.run { fixture in
            let (client, callback) = try await flow(fixture)
            fixture.server.http.fail(.answer(.text("busy", status: 503)), pathPrefix: "/api/auth/oauth/exchange")
            await #expect(throws: InsForgeAuthError.server(status: 503, code: "no error code")) {
                try await client.auth.handleAuthCallback(callback)
            }
            _ = try await client.auth.handleAuthCallback(callback)
        }
    }

    @Test("defect D8: the error in a callback is told, with spaces where the server wrote plus signs")
    func d8() async throws {
        try await InsForgeFixture.run({ $0.disableSignup = true }) { fixture in
            fixture.server.deleteUser(id: fixture.server.user.id)
            let (client, callback) = try await flow(fixture)
            #expect(callback.absoluteString.contains("error=User+signups+are+disabled"))
            await #expect(throws: InsForgeAuthError.oauth("User signups are disabled for this project.")) {
                try await client.auth.handleAuthCallback(callback)
            }
        }
    }

    @Test("defect D9: the results of mailed links are told apart, for the addresses that wait for them")
    func d9() async throws {
        try await InsForgeFixture.run({
            $0.requireEmailVerification = true
            $0.verifyEmailMethod = .link
            $0.resetPasswordMethod = .link
        }) { fixture in
            let client = fixture.client()
            _ = try await client.auth.signUp(
                email: "new@example.org", password: "horse-battery-9", redirectTo: "example://verified")
            let link = try await fixture.openMailedLink()
            await #expect(throws: InsForgeAuthError.mailedLink(.emailVerified)) {
                try await client.auth.handleAuthCallback(link)
            }
            let again = try await fixture.openMailedLink()
            await #expect(
                throws: InsForgeAuthError.mailedLink(.emailNotVerified("Invalid or expired verification token"))
            ) { try await client.auth.handleAuthCallback(again) }

            fixture.clock.advance(by: .seconds(60))
            try await client.auth.sendPasswordReset(email: "new@example.org", redirectTo: "example://reset")
            let reset = try await fixture.openMailedLink()
            let error = await #expect(throws: InsForgeAuthError.self) {
                try await client.auth.handleAuthCallback(reset)
            }
            guard case .mailedLink(.passwordReset(let token)) = error else {
                Issue.record("no token: \(String(describing: error))")
                return
            }
            try await client.auth.resetPassword(otp: token.reveal(), newPassword: "horse-battery-10")
            try await client.auth.signIn(email: "new@example.org", password: "horse-battery-10")

            // Another app, which never asked for a link, takes none.
            let stranger = fixture.client(store: MemoryTokenStore())
            await #expect(throws: InsForgeAuthError.self) { try await stranger.auth.handleAuthCallback(reset) }
        }
    }

    @Test("defect D9: a link is understood though the answer to the request for its mail was lost, and only then")
    func d9LostAnswer() async throws {
        try await InsForgeFixture.run({ $0.resetPasswordMethod = .link }) { fixture in
            let client = fixture.client()
            let (email, path) = (fixture.server.user.email, "/api/auth/email/send-reset-password")
            fixture.server.http.fail(.dropAnswer, pathPrefix: path)
            await #expect(throws: InsForgeAuthError.self) {
                try await client.auth.sendPasswordReset(email: email, redirectTo: "example://reset")
            }
            let link = try await fixture.openMailedLink()
            fixture.server.http.fail(
                .answer(.json(["error": "INVALID_INPUT", "message": "No", "statusCode": 400], status: 400)),
                pathPrefix: path, times: 2)
            for address in ["example://reset", "example://other"] {
                await #expect(throws: InsForgeAuthError.invalidInput("No")) {
                    try await client.auth.sendPasswordReset(email: email, redirectTo: address)
                }
            }
            let forged = try url("example://other?\(link.query ?? "")")
            for (callback, code) in [(forged, "invalid_callback"), (link, "mailed_link")] {
                let error = await #expect(throws: InsForgeAuthError.self) {
                    try await client.auth.handleAuthCallback(callback)
                }
                #expect(error?.failureCode == code)
            }
        }
    }

    @Test("defect D10: where token callbacks are allowed, the server says whose token it is")
    func d10() async throws {
        try await InsForgeFixture.run({ $0.legacy.callbackCarriesTokens = true }) { fixture in
            let (client, callback) = try await flow(fixture) { $0.auth.allowsTokenCallbacks = true }
            let lie = callback.absoluteString
                .replacingOccurrences(of: fixture.server.user.id, with: "somebody-else")
                .replacingOccurrences(of: "robin%40example.org", with: "mallory%40example.org")
            let response = try await client.auth.handleAuthCallback(try url(lie))
            #expect(response.user.id == fixture.server.user.id)
            #expect(response.user.email == fixture.server.user.email)
            #expect(response.user.providers == ["google", "email"])
            #expect(fixture.requests(to: "/api/auth/sessions/current") == 1)
        }
    }

    @Test("defect D10: a token the server does not know becomes no session, and neither does a refresh token")
    func d10Forged() async throws {
        try await InsForgeFixture.run({ $0.legacy.callbackCarriesTokens = true }) { fixture in
            let other = try await fixture.signedInClient()
            let refreshToken = try #require(
                fixture.server.issuedTokens.last { $0.kind == .refresh }?.token.reveal())
            try await other.auth.signOut()
            let (client, _) = try await flow(fixture) { $0.auth.allowsTokenCallbacks = true }
            for token in ["e30.e30.e30", refreshToken] {
                await #expect(throws: InsForgeAuthError.self) {
                    try await client.auth.handleAuthCallback(
                        try url("example://auth/callback?access_token=\(token)&user_id=u&email=e"))
                }
                #expect(client.auth.getSession() == nil)
            }
        }
    }

    @Test("defect D11: a refresh token in a callback is not read; such a session ends with its access token")
    func d11() async throws {
        try await InsForgeFixture.run({ $0.legacy.callbackCarriesTokens = true }) { fixture in
            let (client, callback) = try await flow(fixture) { $0.auth.allowsTokenCallbacks = true }
            let response = try await client.auth.handleAuthCallback(
                try url(callback.absoluteString + "&refresh_token=planted"))
            #expect(response.refreshToken == nil)
            // The session cannot be refreshed by hand either, and goes on.
            await #expect(throws: InsForgeAuthError.sessionExpired) { try await client.auth.refreshAccessToken() }
            #expect(try await client.auth.accessToken() == response.accessToken)
            #expect(client.auth.getSession() != nil)
            fixture.expire()
            #expect(client.auth.getSession() == nil)
            await #expect(throws: InsForgeAuthError.sessionExpired) { try await client.auth.accessToken() }
            #expect(fixture.requests(to: "/api/auth/refresh") == 0)
        }
    }
}
