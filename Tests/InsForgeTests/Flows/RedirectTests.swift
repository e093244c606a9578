import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import Testing

/// Where a browser is sent, as browsers and servers write it.
@Suite struct RedirectTests {
    @Test(
        "A redirect is understood as a browser writes it, with the app's own query",
        arguments: [
            ("https://app.example.org/a/../cb", "https://app.example.org/cb"),
            ("https://app.example.org/a/./b/%2e%2E/cb", "https://app.example.org/a/cb"),
            ("https://app.example.org/cb/..", "https://app.example.org/"),
            ("example://auth/a/../callback", "example://auth/callback"),
            ("com.example.app:/a/../cb", "com.example.app:/cb"),
            ("https://b%C3%BCcher.example/cb", "https://xn--bcher-kva.example/cb"),
            ("https://B%C3%9CCHER.example:8443/cb", "https://xn--bcher-kva.example:8443/cb"),
            ("https://app.example.org/cb?state=mine&x=1", "https://app.example.org/cb?state=mine&x=1"),
        ])
    func redirects(redirectTo: String, address: String) async throws {
        try await InsForgeFixture.run { fixture in
            for addsState in [nil, true, false] {
                let pages = OpenedPages()
                let client = fixture.client {
                    $0.auth.openURL = pages.open
                    $0.auth.addsStateToRedirect = addsState
                }
                try await client.auth.signInWithOAuthView(provider: .google, redirectTo: redirectTo)
                let callback = try await fixture.visit(try #require(pages.all.first))
                #expect(callback.absoluteString.hasPrefix(address))
                #expect(try await client.auth.handleAuthCallback(callback).user.id == fixture.server.user.id)
            }
        }
    }

    @Test(
        "A host that is no name is refused",
        arguments: [
            "https://a%2Fb.example/cb", "https://a%40b.example/cb", "https://a%3Ab.example/cb", "https://%20/cb",
            "https://a%5Cb.example/cb", "https://%ff.example/cb",
        ])
    func noHosts(redirectTo: String) async throws {
        try await InsForgeFixture.run { fixture in
            let client = fixture.client { $0.auth.openURL = OpenedPages().open }
            let error = await #expect(throws: InsForgeAuthError.self) {
                try await client.auth.signInWithOAuthView(provider: .google, redirectTo: redirectTo)
            }
            #expect(error?.failureCode == "invalid_input")
            #expect(fixture.server.http.log.isEmpty)
        }
    }

    @Test("Two sign-ins at one address are told apart without asking for it")
    func twoFlows() async throws {
        try await InsForgeFixture.run { fixture in
            let pages = OpenedPages()
            let client = fixture.client { $0.auth.openURL = pages.open }
            try await client.auth.signInWithOAuthView(provider: .google, redirectTo: "example://cb")
            try await client.auth.signInWithOAuthView(provider: .github, redirectTo: "example://cb")
            for page in pages.all {
                let callback = try await fixture.visit(page)
                #expect(try await client.auth.handleAuthCallback(callback).user.id == fixture.server.user.id)
            }
            #expect(fixture.server.counters.exchanges == 2)
        }
    }

    @Test("A project that allows the exact address alone gets it, unless a state is demanded")
    func exactAddress() async throws {
        try await InsForgeFixture.run({ $0.allowedRedirectURLs = ["example://cb"] }) { fixture in
            let pages = OpenedPages()
            let client = fixture.client { $0.auth.openURL = pages.open }
            try await client.auth.signInWithOAuthView(provider: .google, redirectTo: "example://cb")
            let callback = try await fixture.visit(try #require(pages.all.first))
            #expect(callback.query?.contains("state=") == false)
            _ = try await client.auth.handleAuthCallback(callback)
            let strict = fixture.client {
                $0.auth.openURL = pages.open
                $0.auth.addsStateToRedirect = true
            }
            let error = await #expect(throws: InsForgeAuthError.self) {
                try await strict.auth.signInWithOAuthView(provider: .google, redirectTo: "example://cb")
            }
            guard case .invalidInput(let text) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            // The server's advice says what to do.
            #expect(
                text.hasSuffix("Please add this URL to the allowed redirect URLs in the authentication configuration."))
            let flows = try await fixture.store.records(in: .pendingFlows).records
            #expect(flows.allSatisfy { $0.content == nil })
        }
    }

    @Test("Tokens in callbacks and a state in every redirect cannot be had together, and every call says so")
    func contradiction() async throws {
        try await InsForgeFixture.run { fixture in
            let client = fixture.client {
                $0.auth.allowsTokenCallbacks = true
                $0.auth.addsStateToRedirect = true
            }
            let error = await #expect(throws: InsForgeAuthError.self) { try await client.auth.getPublicConfig() }
            #expect(error?.failureCode == "not_configured")
            #expect(error?.message.hasPrefix("allowsTokenCallbacks and addsStateToRedirect cannot both be on") == true)
            #expect(fixture.server.http.log.isEmpty)
        }
    }

    @Test("A page that returns with a token is understood although it replaces the query")
    func tokenPage() async throws {
        try await InsForgeFixture.run({
            $0.legacy.servesHostedPage = true
            $0.legacy.callbackCarriesTokens = true
        }) { fixture in
            let client = fixture.client { $0.auth.allowsTokenCallbacks = true }
            let callback = try await fixture.visit(client.auth.signInWithDefaultView(redirectTo: "example://cb"))
            #expect(try await client.auth.handleAuthCallback(callback).user.id == fixture.server.user.id)
        }
    }
}
