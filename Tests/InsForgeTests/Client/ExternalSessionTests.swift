import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import InsForge
import TestSupport
import Testing

/// A session needs the person's identifier and the tokens. Everything else of a user may be missing or odd.
@Suite struct KeptSessionTests {
    /// What is wrong with a member.
    enum Oddity: CaseIterable {
        case missing, null, otherType
    }

    /// A member of a user with a value of another type, and what the user has instead.
    struct Member: Sendable, CustomStringConvertible {
        let name: String
        let otherType: JSONValue
        let isEmpty: @Sendable (User) -> Bool

        var description: String { name }

        func value(_ oddity: Oddity) -> JSONValue? {
            switch oddity {
            case .missing: nil
            case .null: .null
            case .otherType: otherType
            }
        }
    }

    private static let members = [
        Member(name: "email", otherType: 7) { $0.email.isEmpty },
        Member(name: "emailVerified", otherType: "yes") { !$0.emailVerified },
        Member(name: "createdAt", otherType: 1_767_225_600) { $0.createdAt.isEmpty },
        Member(name: "updatedAt", otherType: ["a"]) { $0.updatedAt.isEmpty },
        Member(name: "providers", otherType: "email") { $0.providers == nil },
        Member(name: "profile", otherType: "Robin") { $0.profile == nil },
        Member(name: "metadata", otherType: 7) { $0.metadata == nil },
    ]

    @Test("A sign-in leaves out what is missing or odd of the user", arguments: members, Oddity.allCases)
    func signIn(member: Member, oddity: Oddity) async throws {
        try await InsForgeFixture.run { fixture in
            let whole = try #require(try await fixture.signedInClient().auth.getSession()?.user)
            fixture.server.reconfigure { $0.faults.userMembers = [member.name: member.value(oddity)] }
            let client = fixture.client(store: MemoryTokenStore())
            try await client.auth.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
            let user = try #require(client.auth.getSession()?.user)
            #expect(user.id == whole.id && member.isEmpty(user))
            for other in Self.members where other.name != member.name {
                #expect(other.isEmpty(user) == other.isEmpty(whole), "\(other)")
            }
            #expect(try await client.auth.getCurrentUser() == user)
        }
    }

    @Test("A refresh keeps what the response leaves out", arguments: members, Oddity.allCases)
    func refresh(member: Member, oddity: Oddity) async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            let user = try #require(client.auth.getSession()?.user)
            fixture.server.reconfigure { $0.faults.userMembers = [member.name: member.value(oddity)] }
            fixture.expire()
            _ = try await client.auth.accessToken()
            #expect(fixture.server.counters.refreshes == 1)
            #expect(client.auth.getSession()?.user == user)
        }
    }

    @Test("The identifier and the tokens are enough, by each way to sign in")
    func identifierAlone() async throws {
        try await InsForgeFixture.run { fixture in
            let names = Self.members.map { ($0.name, JSONValue?.none) }
            fixture.server.reconfigure { $0.faults.userMembers = Dictionary(uniqueKeysWithValues: names) }
            let client = try await fixture.signedInClient { $0.auth.browser = fixture.person }
            #expect(client.auth.getSession()?.user.id == fixture.server.user.id)
            let response = try await client.auth.signInWithOAuthView(provider: .github, redirectTo: "example://cb")
            #expect(response?.user.id == fixture.server.user.id)
            fixture.expire()
            _ = try await client.auth.accessToken()
            let response2 = try await client.auth.signUp(email: "new@example.org", password: "horse-battery-9")
            #expect(response2.hasSession)
        }
    }

    @Test(
        "A refresh without a word on the user, or with an odd refresh token, keeps both",
        arguments: [
            ["user": nil], ["user": .null], ["user": "robin"], ["user": [:]], ["refreshToken": nil],
            ["refreshToken": .null], ["refreshToken": 7], ["refreshToken": ""], ["refreshToken": "a\nb"],
        ] as [[String: JSONValue?]])
    func tokensAlone(members: [String: JSONValue?]) async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            let user = try #require(client.auth.getSession()?.user)
            fixture.server.reconfigure { $0.faults.sessionMembers = members }
            for refreshes in 1...2 {
                fixture.expire()
                let token = try await client.auth.accessToken()
                #expect(token == fixture.server.issuedTokens.last { $0.kind == .access }?.token.reveal())
                #expect(fixture.server.counters.refreshes == refreshes)
            }
            #expect(client.auth.getSession()?.user == user)
        }
    }

    @Test(
        "The content type, the status and a byte order mark of a refresh do not matter",
        arguments: [
            ("text/plain", 200, ""), ("text/html; charset=utf-8", 200, ""), ("application/octet-stream", 200, ""),
            ("", 200, ""), ("nonsense", 200, ""), ("application/json", 201, ""), ("application/json", 200, "\u{FEFF}"),
        ])
    func contentType(type: String, status: Int, prefix: String) async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            fixture.server.reconfigure {
                $0.faults.sessionContentType = type
                $0.faults.sessionStatus = status
                $0.faults.sessionPrefix = Data(prefix.utf8)
            }
            fixture.expire()
            let token = try await client.auth.accessToken()
            #expect(token == fixture.server.issuedTokens.last { $0.kind == .access }?.token.reveal())
        }
    }

    @Test("What a refresh tolerates is reported, each once; a response by the book says nothing")
    func tolerated() async throws {
        try await InsForgeFixture.run { fixture in
            let refreshes = RefreshMonitor()
            let provider = try fixture.provider(refreshes: refreshes)
            try await provider.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
            var reports = refreshes.reports().makeAsyncIterator()
            let rows: [(user: [String: JSONValue?], session: [String: JSONValue?], faults: [String])] = [
                ([:], ["refreshToken": nil], []),
                (["email": nil, "providers": nil, "metadata": .null], [:], ["the member user.email is missing."]),
                (
                    ["emailVerified": "yes", "metadata": 7], [:],
                    [
                        "the member user.emailVerified has the wrong form.",
                        "the member user.metadata has the wrong form.",
                    ]
                ),
                ([:], ["user": nil], ["the member user is missing."]),
                (
                    [:], ["user": "robin", "refreshToken": 7],
                    ["the member user has the wrong form.", "the member refreshToken has the wrong form."]
                ),
            ]
            for row in rows {
                fixture.server.reconfigure {
                    ($0.faults.userMembers, $0.faults.sessionMembers) = (row.user, row.session)
                }
                fixture.expire()
                _ = try await provider.accessToken(for: fixture.account, scopes: [])
                if !row.faults.isEmpty {
                    guard case .tolerated(fixture.account, row.faults)? = await reports.next() else {
                        Issue.record("\(row.faults)")
                        return
                    }
                }
                guard case .refreshed? = await reports.next() else {
                    Issue.record("after \(row.faults)")
                    return
                }
            }
            fixture.server.reconfigure {
                $0.faults.sessionMembers = [:]
                ($0.faults.sessionContentType, $0.faults.sessionStatus) = ("text/plain", 201)
                $0.faults.sessionPrefix = Data("\u{FEFF}".utf8)
            }
            fixture.expire()
            _ = try await provider.accessToken(for: fixture.account, scopes: [])
            let faults = [
                "HTTP status 201 was not expected.", "its content type is text/plain.",
                "it begins with a byte order mark.",
            ]
            guard case .tolerated(_, faults)? = await reports.next() else {
                Issue.record("nothing is said of the response")
                return
            }
        }
    }

    // MARK: What ends a session

    private func refusal(_ status: Int, _ headers: [(name: String, value: String)] = []) -> Fault {
        .answer(
            .json(
                ["error": "AUTH_UNAUTHORIZED", "message": "User not found", "statusCode": .integer(Int64(status))],
                status: status, headers: headers))
    }

    @Test("A user who was deleted at the server is told so")
    func deleted() async throws {
        try await InsForgeFixture.run { fixture in
            let provider = try fixture.provider()
            try await provider.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
            fixture.server.deleteUser(id: fixture.server.user.id)
            fixture.expire()
            let error = await #expect(throws: SessionError.self) {
                try await provider.accessToken(for: fixture.account, scopes: [])
            }
            guard case .ended(fixture.account, let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason == "This account no longer exists.")
        }
    }

    @Test(
        "The same words of a failing server, of one that asks to wait, or of something in front of it end nothing",
        arguments: [500, 502, 503, 429, 408, 425, 407, 302, 403])
    func sameWords(status: Int) async throws {
        try await InsForgeFixture.run { fixture in
            let provider = try fixture.provider()
            try await provider.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
            fixture.expire()
            for _ in 0..<2 {
                fixture.server.http.fail(refusal(status, [("Retry-After", "30")]), pathPrefix: "/api/auth/refresh")
                let error = await #expect(throws: InsForgeAuthError.self) {
                    try await provider.accessToken(for: fixture.account, scopes: [])
                }
                #expect([.transient, .definitive].contains(error?.failureClass))
                fixture.clock.advance(by: .seconds(3600))
            }
            _ = try await provider.accessToken(for: fixture.account, scopes: [])
            #expect(fixture.server.counters.refreshes == 1)
        }
    }

    @Test("Who is asked to wait is told for how long")
    func retryAfter() async throws {
        try await InsForgeFixture.run { fixture in
            let provider = try fixture.provider()
            try await provider.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
            fixture.expire()
            for status in [429, 503] {
                fixture.server.http.fail(refusal(status, [("Retry-After", "30")]), pathPrefix: "/api/auth/refresh")
                await #expect(throws: InsForgeAuthError.rateLimited(retryAfter: .seconds(30))) {
                    try await provider.accessToken(for: fixture.account, scopes: [])
                }
                fixture.clock.advance(by: .seconds(30))
            }
        }
    }

    // MARK: A large profile

    @Test("A large photo locks nobody out: it is read, and what is kept fits the Keychain")
    func photo() async throws {
        let photo = "data:image/png;base64," + String(repeating: "A", count: 2_000_000)
        let profile: [String: JSONValue] = [
            "name": "Robin", "avatar_url": .string(photo), "notes": .string(String(repeating: "n", count: 3000)),
            "theme": "dark", "album": [.string(photo), "https://img.example/1.png"],
        ]
        // The clock of the test goes ahead of the system's, which measures leases.
        let store = KeychainTokenStore(FakeKeychain(), service: "test", leaseDuration: .seconds(864_000))
        try await InsForgeFixture.run(store: store, { $0.user.profile = profile }) { fixture in
            let client = fixture.client()
            let response = try await client.auth.signIn(
                email: fixture.server.user.email, password: fixture.server.user.password)
            #expect(response.user?.profile?.members == profile)
            fixture.expire()
            _ = try await client.auth.accessToken()
            #expect(try await client.auth.getCurrentUser()?.profile?.members == profile)
            #expect(try await client.auth.getProfile(userId: fixture.server.user.id).profile?.members == profile)
            let again = try await fixture.client().auth.refreshAccessToken().user
            #expect(
                again.profile?.members["theme"] == "dark" && again.name == "Robin" && again.profile?.avatarUrl == nil)
            #expect(again.profile?.members["album"] == ["https://img.example/1.png"])
            #expect(again.emailVerified && again.email == fixture.server.user.email)
            let account = AccountID(account: fixture.server.user.id, realm: "insforge")
            let record = try #require(try await store.record(for: .account(account)))
            #expect(record.content?.count ?? .max <= 48 * 1024)
        }
    }

    @Test("Of a profile with many members the name and the picture are kept")
    func manyMembers() async throws {
        var profile: [String: JSONValue] = ["name": "Robin", "avatar_url": "https://img.example/1.png"]
        for index in 0..<5000 { profile["member \(index)"] = "some text" }
        try await InsForgeFixture.run({ $0.user.profile = profile }) { fixture in
            _ = try await fixture.signedInClient()
            let user = try #require(fixture.client().auth.getSession()?.user)
            #expect(user.profile?.members == ["name": "Robin", "avatar_url": "https://img.example/1.png"])
            #expect(user.emailVerified && !user.createdAt.isEmpty)
        }
    }
}
