import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityOAuth

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Authorizations for one resource, at a server that takes several resources in a request or one.
@Suite(.endsInTime) struct ResourceStepUpTests {
    private static let own = "https://own.example.com"
    private static let (notes, files) = ("https://notes.example.com", "https://files.example.com/v2")

    private struct Fixture {
        let plain: PlainServer
        let wire = FormRecorder()
        let provider: OAuthSessionProvider
        /// The pages that were opened.
        let pages = Locked<[URL]>([])
        /// The person in front of the browser.
        let person: Locked<ScriptedLogin>

        init(
            _ indicators: LocalOpenIDConnectServer.ResourceIndicators, own: String? = nil,
            by style: TokensByResource = .rfc8707, users: [LocalOpenIDConnectServer.User] = [.init()]
        ) async throws {
            plain = try await PlainServer {
                $0.resourceIndicators = indicators
                $0.users = users
            }
            person = Locked(ScriptedLogin(username: plain.local.user.username, password: plain.local.user.password))
            provider = try Self.provider(plain, wire, own, style, pages, person)
            _ = try await provider.signIn(scopes: [], deviceToken: "device")
        }

        /// The provider of another start of the app.
        static func provider(
            _ plain: PlainServer, _ wire: FormRecorder, _ own: String?, _ style: TokensByResource,
            _ pages: Locked<[URL]>,
            _ person: Locked<ScriptedLogin>
        ) throws -> OAuthSessionProvider {
            let browser = ScriptedBrowser { page in
                pages.withLock { $0.append(page) }
                return try await person.withLock { $0 }.signIn(at: page)
            }
            return try plain.provider(browser: browser, transport: wire) {
                $0 = OAuthServer(type: "plain", issuer: plain.local.issuer, client: $0.client, account: .idToken)
                $0.scopes = ["openid", "read"]
                $0.redirectURI = URL(string: "com.example.app:/callback")
                $0.options.resources = own.map { [$0] } ?? []
                $0.tokensByResource = style
            }
        }

        func authorize(_ resource: String, scopes: Set<String> = []) async throws {
            try await provider.requestAuthorization(
                for: plain.account, scopes: scopes, resource: resource,
                in: CallerContext(scopes: [], deviceToken: "device"))
        }

        func token(_ resource: String?, scopes: Set<String> = [], replacing: String? = nil) async throws -> String {
            try await provider.accessToken(
                for: plain.account, scopes: scopes, resource: resource, freshness: TokenFreshness(replacing: replacing))
        }

        /// Whom the token for a resource says that it is for.
        func audience(_ resource: String?, scopes: Set<String> = []) async throws -> [String]? {
            try JSONWebToken(Secret(try await token(resource, scopes: scopes))).audience
        }

        /// The values of a parameter of the pages that were opened after the sign-in.
        func asked(_ name: String) -> [[String]] {
            pages.withLock { $0 }.dropFirst().map { page in
                let items = URLComponents(url: page, resolvingAgainstBaseURL: true)?.queryItems ?? []
                return items.filter { $0.name == name }.map { $0.value ?? "" }
            }
        }

        func session() async throws -> Credential {
            try #require(try await provider.sessions.storedCredential(of: plain.account))
        }
    }

    @Test("At a server of one resource for a sign-in the second has its own refresh token, and the first stays")
    func second() async throws {
        let fixture = try await Fixture(.onePerGrant)
        let (own, first) = (try await fixture.token(nil), try await fixture.token(Self.notes))
        await #expect(throws: SessionError.self) { try await fixture.token(Self.files) }
        try await fixture.authorize(Self.files)
        #expect(fixture.asked("resource") == [[Self.files]])
        #expect(try await fixture.audience(Self.files) == [Self.files])
        #expect(try await fixture.token(Self.notes) == first)
        #expect(try await fixture.token(nil) == own)
        let before = await fixture.wire.refreshes.count
        for resource in [Self.notes, Self.files, Self.notes, Self.files] {
            let known = try await fixture.token(resource)
            #expect(try await fixture.token(resource, replacing: known) != known)
            #expect(try await fixture.audience(resource) == [resource])
        }
        let sent = await fixture.wire.refreshes.dropFirst(before)
        #expect(Set(sent.map { $0["refresh_token"] }).count == 4 && fixture.plain.local.counters.replays == 0)
        // A resource that the session has already is not asked for again.
        try await fixture.authorize(Self.files)
        #expect(fixture.asked("resource").count == 1)
        await fixture.plain.local.stop()
    }

    @Test("More scopes there are asked for with those that it has, and the wider authorization replaces the narrower")
    func wider() async throws {
        let fixture = try await Fixture(.onePerGrant, own: Self.own)
        try await fixture.authorize(Self.files)
        try await fixture.authorize(Self.files, scopes: ["write"])
        #expect(fixture.asked("resource") == [[Self.own, Self.files], [Self.files], [Self.files]])
        #expect(fixture.asked("scope").last == ["openid read write"])
        #expect(try await fixture.session().grants.count == 1)
        #expect(try await fixture.audience(Self.files, scopes: ["read", "write"]) == [Self.files])
        #expect(try await fixture.audience(nil) == [Self.own])
        await fixture.plain.local.stop()
    }

    @Test("Where a request may name several, all resources and scopes of the session are repeated, and one is enough")
    func union() async throws {
        let fixture = try await Fixture(.named, own: Self.own)
        _ = try await fixture.token(Self.notes)
        try await fixture.authorize(Self.files, scopes: ["write"])
        #expect(fixture.asked("resource").map(Set.init) == [[Self.own, Self.notes, Self.files]])
        #expect(fixture.asked("scope") == [["openid read write"]])
        #expect(try await fixture.session().grants.isEmpty)
        #expect(try await fixture.audience(nil) == [Self.own])
        for resource in [Self.notes, Self.files] {
            #expect(try await fixture.audience(resource, scopes: ["write"]) == [resource])
        }
        #expect(fixture.plain.local.counters.replays == 0)
        await fixture.plain.local.stop()
    }

    @Test("Another person's authorization is dropped, and so is a token for something else")
    func otherPerson() async throws {
        let grace = LocalOpenIDConnectServer.User(id: "2", username: "grace", password: "Hopper-1")
        let fixture = try await Fixture(.onePerGrant, users: [.init(), grace])
        let (own, _) = (try await fixture.token(nil), try await fixture.token(Self.notes))
        fixture.person.withLock { $0 = ScriptedLogin(username: grace.username, password: grace.password) }
        await #expect(throws: OAuthError.invalidIDToken(.subjectMismatch)) { try await fixture.authorize(Self.files) }
        #expect(try await fixture.session().grants.isEmpty)
        #expect(try await fixture.token(nil) == own)
        await fixture.plain.local.stop()
        let mistaken = try await Fixture(.defaulting([Self.notes]))
        let error = await #expect(throws: SessionError.self) { try await mistaken.authorize(Self.files) }
        #expect(error?.failureCode == "resource_not_granted")
        #expect(try await mistaken.session().grants.isEmpty)
        await mistaken.plain.local.stop()
    }

    @Test("An app that was restarted while the person was in the browser adds what comes back, and replaces nothing")
    func restarted() async throws {
        let fixture = try await Fixture(.onePerGrant)
        let (own, _) = (try await fixture.token(nil), try await fixture.token(Self.notes))
        let callback = Locked<URL?>(nil)
        let login = fixture.person.withLock { $0 }
        let leaving = ScriptedBrowser { page in
            let landing = try await login.signIn(at: page)
            callback.withLock { $0 = landing }
            throw CancellationError()
        }
        func started(_ browser: any WebAuthenticator) throws -> OAuthSessionProvider {
            try fixture.plain.provider(browser: browser, transport: fixture.wire) {
                $0 = fixture.provider.server
            }
        }
        await #expect(throws: CancellationError.self) {
            try await started(leaving).requestAuthorization(
                for: fixture.plain.account, scopes: [], resource: Self.files,
                in: CallerContext(scopes: [], deviceToken: "device"))
        }
        let account = try await started(leaving).finishSignIn(try #require(callback.withLock { $0 }))
        #expect(account == fixture.plain.account)
        #expect(try await fixture.audience(Self.files) == [Self.files])
        #expect(try await fixture.token(nil) == own)
        await fixture.plain.local.stop()
    }

    @Test("A sign-out revokes each refresh token, then its access tokens")
    func signOut() async throws {
        let fixture = try await Fixture(.onePerGrant)
        let access = [try await fixture.token(nil), try await fixture.token(Self.notes)]
        try await fixture.authorize(Self.files)
        let other = try await fixture.token(Self.files)
        let session = try await fixture.session()
        let tokens = [session.refreshToken, session.grants.first?.credential.refreshToken].compactMap { $0?.reveal() }
        try await fixture.provider.signOut(fixture.plain.account)
        let revoked = await fixture.wire.revoked
        #expect(tokens.count == 2 && Set(revoked) == Set(tokens + access + [other]))
        let places = tokens.compactMap { revoked.firstIndex(of: $0) }
        #expect(places.first ?? 9 < places.last ?? 0)
        await fixture.plain.local.stop()
    }

    @Test("Microsoft Entra ID is asked for what is missing there alone, by scopes that name the resource")
    func entra() async throws {
        let fixture = try await Fixture(.named, by: .entra)
        // The local server knows no such scopes.
        await #expect(throws: OAuthError.self) { try await fixture.authorize(Self.notes, scopes: ["Mail.Read"]) }
        #expect(fixture.asked("scope") == [["openid \(Self.notes)/Mail.Read"]])
        #expect(fixture.asked("resource") == [[]])
        await fixture.plain.local.stop()
    }

    @Test("A server that says who signed in only to a token of its own is not asked with one for a resource")
    func unknownPerson() async throws {
        let plain = try await PlainServer { $0.resourceIndicators = .refused }
        let pages = Locked(0)
        let login = ScriptedLogin(username: plain.local.user.username, password: plain.local.user.password)
        let provider = try plain.provider(
            browser: ScriptedBrowser { page in
                pages.withLock { $0 += 1 }
                return try await login.signIn(at: page)
            })
        _ = try await provider.signIn(scopes: [], deviceToken: "device")
        let error = await #expect(throws: SessionError.self) {
            try await provider.requestAuthorization(
                for: plain.account, scopes: [], resource: Self.files,
                in: CallerContext(scopes: [], deviceToken: "device"))
        }
        #expect(error?.failureCode == "resource_not_granted" && pages.withLock { $0 } == 1)
        await plain.local.stop()
    }
}
