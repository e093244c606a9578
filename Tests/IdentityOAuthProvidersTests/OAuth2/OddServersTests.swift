import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

/// The rows of `Documentation/OddServers.md`, each played.
@Suite struct OddServersTests {
    private static let common: [String: JSONValue] = ["scopes": ["read", "write"], "endpoints": nil]

    @Test("What the page says of a server happens there", arguments: OddServer.all)
    func row(server: OddServer) async throws {
        switch server.play {
        case .tokens(let oddities): try await playTokens(server, oddities)
        case .request(let isAsked):
            let seen = try await RequestFormatTests.visit(server.settings["requestFormat"] ?? [:], [:])
            #expect(isAsked(seen))
            #expect(try await !isAsked(RequestFormatTests.visit([:], [:])))
        case .words: try await playWords(server)
        case .device: try await playDevice(server)
        case .posted: try await playPosted(server)
        }
    }

    private func playTokens(_ server: OddServer, _ oddities: [OddServer.Oddity]) async throws {
        let fixture = try await OAuth2Fixture()
        for oddity in oddities {
            switch oddity {
            case .variation(let variation): fixture.server.vary(variation)
            case .misbehaviour(let misbehaviour): fixture.server.misbehave(misbehaviour)
            case .fault(let fault): fixture.server.misbehave(fault)
            }
        }
        if let refusal = server.refusal {
            let error = await #expect(throws: OAuthError.self) { try await fixture.signedIn(Self.common) }
            #expect(error?.failureCode == refusal)
        }
        let provider = try await fixture.signedIn(Self.common.merging(server.settings) { $1 })
        let first = try #require(try await fixture.credential)
        #expect(first.scopes == ["read", "write"])
        _ = try await provider.accessToken(
            for: fixture.account, scopes: ["read", "write"], resource: nil,
            freshness: .other(than: first.accessToken.reveal()))
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    private func playWords(_ server: OddServer) async throws {
        let words = try #require(server.settings["tokenResponse"]?["finalRefusals"]?.arrayValue?.first)
        let response = LocalResponse.json(
            ["error": words["error"] ?? .null, "error_description": words["description"] ?? .null],
            status: Int(words["status"]?.integerValue ?? 0))
        for (settings, code) in [([:], server.refusal), (server.settings, "session_ended")] {
            let fixture = try await OAuth2Fixture()
            let provider = try await fixture.signedIn(Self.common.merging(settings) { $1 })
            fixture.clock.advance(by: .seconds(3600))
            fixture.server.http.fail(.answer(response), pathPrefix: "/token")
            let error = await #expect(throws: (any Error).self) {
                try await provider.accessToken(for: fixture.account, scopes: [])
            }
            #expect((error as? any IdentityFailure)?.failureCode == code)
            await fixture.server.stop()
        }
    }

    /// Its first response to a device says that nothing has been decided, in the words of Twitch.
    private func playDevice(_ server: OddServer) async throws {
        for settings in [[:], server.settings] {
            let fixture = try await OAuth2Fixture()
            let isDecided = Locked(false)
            let device = try await LocalHTTPServer.start { request in
                let scopes = request.form?.first { $0.name == "scopes" }?.value
                guard request.path == "/token" else {
                    return .json([
                        "device_code": "d", "user_code": "ABCDEFGH", "expires_in": 1800, "interval": 5,
                        "verification_uri": "https://www.twitch.example/activate?device-code=ABCDEFGH",
                    ])
                }
                let mayAnswer = isDecided.withLock { isDecided in
                    defer { isDecided = true }
                    return isDecided
                }
                guard scopes == "read write", mayAnswer else {
                    return .json(["status": 400, "message": "authorization_pending"], status: 400)
                }
                return .json([
                    "access_token": "a", "refresh_token": "r", "expires_in": 14124, "token_type": "bearer",
                    "scope": ["read", "write"], "subject": "ada",
                ])
            }
            let address = { (path: String) in JSONValue.string(device.url.absoluteString + path) }
            let members = Self.common.merging([
                "signIn": "device", "account": ["identifier": "subject"],
                "endpoints": [
                    "device_authorization_endpoint": address("/device"), "token_endpoint": address("/token"),
                ],
            ]) { $1 }
            let time = TimeSource(now: { fixture.clock.now }, sleep: { fixture.clock.advance(by: $0) })
            let provider = try fixture.provider(
                members.merging(settings) { $1 }, presenter: ShownCode { _ in }, time: time)
            if settings.isEmpty {
                let error = await #expect(throws: OAuthError.self) {
                    try await provider.signIn(scopes: [], deviceToken: "d")
                }
                #expect(error?.failureCode == server.refusal)
            } else {
                let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
                #expect(account.account == "ada")
                #expect(try await provider.accessToken(for: account, scopes: ["read", "write"]) == "a")
            }
            await device.stop()
            await fixture.server.stop()
        }
    }

    private func playPosted(_ server: OddServer) async throws {
        let fixture = try await OAuth2Fixture()
        fixture.server.vary(.personInForm)
        let asked = Self.common.merging([
            "scopes": ["read", "email"], "redirectURI": "http://127.0.0.1/callback",
        ]) { $1 }
        let browser = PostingBrowser(login: fixture.login).authenticator
        let plain = try fixture.provider(asked, browser: browser)
        let error = await #expect(throws: OAuthError.self) { try await plain.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureCode == server.refusal)
        let provider = try fixture.provider(asked.merging(server.settings) { $1 }, browser: browser)
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        #expect(try await fixture.credential?.profile?.email == fixture.server.user.claims["email"]?.stringValue)
        await fixture.server.stop()
    }

    @Test("A source is one address, and every setting is one that the type has")
    func sources() throws {
        for server in OddServer.all {
            #expect(URL(string: server.source)?.scheme == "https")
            #expect(server.refusal == nil || !server.settings.isEmpty)
        }
        #expect(Set(OddServer.all.map { $0.source + $0.shape }).count == OddServer.all.count)
    }

    /// To write the table anew: `SWIFT_IDENTITY_RECORD=1 swift test --filter OddServersTests`.
    @Test("The page has the table")
    func page() throws {
        let head = ["| Shape | Who sends it | What happens |", "|---|---|---|"]
        let rows = OddServer.all.map { "| \($0.shape) | [\($0.sender)](\($0.source)) | \($0.outcome) |" }
        let (begin, end) = (
            "<!-- The table of odd servers: written by OddServersTests -->",
            "<!-- The end of the table of odd servers -->"
        )
        let file = PackageFolder.url.appendingPathComponent("Documentation/OddServers.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: begin)).upperBound
        let stop = try #require(text.range(of: end)).lowerBound
        let wanted = "\(text[..<start])\n\n\((head + rows).joined(separator: "\n"))\n\n\(text[stop...])"
        if ProcessInfo.processInfo.environment["SWIFT_IDENTITY_RECORD"] == "1" {
            try wanted.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(text == wanted)
        }
    }
}
