import Foundation
import Testing

@testable import IdentityKit

@Suite("Which token of a session a call gets")
struct TokenChoiceTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let api = TokenKey(resource: "https://api.example.com")

    /// One row of the table. The numbers are seconds from now.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let wish: TokenWish
        let choice: TokenChoice
        var change: @Sendable (inout Credential) -> Void = { _ in }

        init(
            _ description: String, _ wish: TokenWish, _ choice: TokenChoice,
            _ change: @escaping @Sendable (inout Credential) -> Void = { _ in }
        ) {
            (testDescription, self.wish, self.choice, self.change) = (description, wish, choice, change)
        }
    }

    private static func token(
        _ text: String, _ resource: String = "https://api.example.com", scopes: Set<String> = ["read", "write"],
        for asked: Set<String> = [], end: TimeInterval? = 600
    ) -> ResourceToken {
        ResourceToken(
            key: TokenKey(resource: resource, scopes: asked), accessToken: Secret(text), scopes: scopes,
            audience: [resource], issuedAt: now, expiresAt: end.map { now + $0 })
    }

    private static func credential(_ change: (inout Credential) -> Void = { _ in }) -> Credential {
        var credential = Credential(
            accessToken: "own", refreshToken: "refresh", scopes: ["read", "write"], issuedAt: now,
            expiresAt: now + 3600, signedInAt: now, backend: "https://id.example")
        change(&credential)
        return credential
    }

    private static let refusal = KeyRefusal(key: api, reason: "No.", since: now - 10)

    static let rows: [Row] = [
        Row("no resource: the session's own", TokenWish(nil), .use(credential().ownToken)),
        Row("no resource, and another resource's token alone: never that one", TokenWish(nil), .ask(nil)) {
            $0.expiresAt = now
            $0.tokens = [token("a")]
        },
        Row("no resource, scopes that were not granted", TokenWish(nil, scopes: ["mail"]), .stepUp(missing: ["mail"])),
        Row("no resource, refused", TokenWish(nil, replacing: ["own"]), .ask(nil)),
        Row("one token for all resources", TokenWish(api.resource, by: .none), .use(credential().ownToken)),
        Row("a resource without a token", TokenWish(api.resource), .ask(api)),
        Row("a resource with a token", TokenWish(api.resource, scopes: ["read"]), .use(token("a"))) {
            $0.tokens = [token("a"), token("b", "https://api.example.com/")]
        },
        Row("exactly the resource: a slash is another one", TokenWish(api.resource), .ask(api)) {
            $0.tokens = [token("b", "https://api.example.com/")]
        },
        Row("an expired token", TokenWish(api.resource), .ask(api)) { $0.tokens = [token("a", end: 0)] },
        Row("a refused token", TokenWish(api.resource, replacing: ["a"]), .ask(api)) { $0.tokens = [token("a")] },
        Row("a token without an end", TokenWish(api.resource), .use(token("a", end: nil))) {
            $0.tokens = [token("a", end: nil)]
        },
        Row(
            "the smallest set of scopes that covers", TokenWish(api.resource, scopes: ["read"], by: .entra),
            .use(token("b", scopes: ["read"], for: ["read"], end: 60))
        ) {
            $0.tokens = [
                token("a", for: ["read", "write"]), token("b", scopes: ["read"], for: ["read"], end: 60),
                token("c", scopes: ["write"], for: ["write"]),
            ]
        },
        Row(
            "of equal ones the longest life", TokenWish(api.resource, scopes: ["read"], by: .entra),
            .use(token("b", for: ["write"], end: 900))
        ) { $0.tokens = [token("a", for: ["read"]), token("b", for: ["write"], end: 900)] },
        Row(
            "scopes that the grant does not have", TokenWish(api.resource, scopes: ["mail"]), .stepUp(missing: ["mail"])
        ),
        Row(
            "scopes that the grant has, and the own token has not", TokenWish(api.resource, scopes: ["mail"]), .ask(api)
        ) {
            $0.agreedScopes = ["read", "write", "mail"]
        },
        Row(
            "a token that was given without them is not asked for again", TokenWish(api.resource, scopes: ["write"]),
            .stepUp(missing: ["write"])
        ) { $0.tokens = [token("a", scopes: ["read"])] },
        Row(
            "a server that takes any scope is asked", TokenWish(api.resource, scopes: ["mail"], by: .entra),
            .ask(TokenKey(resource: api.resource, scopes: ["mail"]))),
        Row("a refusal counts for an hour", TokenWish(api.resource), .refused(refusal)) { $0.refusals = [refusal] },
        Row(
            "a refusal of another resource does not", TokenWish("https://two.example"),
            .ask(TokenKey(resource: "https://two.example"))
        ) {
            $0.refusals = [refusal]
        },
        Row("a refusal that is over does not", TokenWish(api.resource), .ask(api)) {
            $0.refusals = [KeyRefusal(key: api, reason: "No.", since: now - 3600)]
        },
        Row("nor one by a clock that was set back", TokenWish(api.resource), .ask(api)) {
            $0.refusals = [KeyRefusal(key: api, reason: "No.", since: now + 60)]
        },
        Row("a token that still works is used in spite of one", TokenWish(api.resource), .use(token("a"))) {
            ($0.tokens, $0.refusals) = ([token("a")], [refusal])
        },
        Row("nothing that is not verified", TokenWish(api.resource), .ask(api)) {
            $0.tokens = [token("a")]
            $0.pendingVerification = PendingVerification(
                idToken: "id", sentAt: now, receivedAt: now, serverDate: nil)
        },
    ]

    @Test("The table", arguments: rows)
    func table(row: Row) {
        #expect(Self.credential(row.change).choice(for: row.wish, at: Self.now) == row.choice)
    }

    // MARK: The record

    private func decoded(_ document: JSONValue) throws -> Credential {
        try JSONDecoder().decode(Credential.self, from: JSONEncoder().encode(document))
    }

    @Test("A record keeps tokens, refusals and agreed scopes")
    func roundTrip() throws {
        let credential = Self.credential {
            $0.agreedScopes = ["read", "write", "mail"]
            $0.tokens = [Self.token("a"), Self.token("b", "https://two.example", for: ["x"], end: nil)]
            $0.refusals = [Self.refusal]
        }
        let document = try JSONValue(parsing: JSONEncoder().encode(credential))
        #expect(try decoded(document) == credential)
    }

    @Test("A session without them is written as before")
    func asBefore() throws {
        let document = try JSONValue(parsing: JSONEncoder().encode(Self.credential()))
        for member in ["agreedScopes", "tokens", "refusals"] { #expect(document[member] == nil) }
        #expect(try decoded(document) == Self.credential())
    }

    @Test("A damaged token is none, and costs neither the session nor another token")
    func damaged() throws {
        let credential = Self.credential { $0.tokens = [Self.token("a"), Self.token("b", "https://two.example")] }
        let document = try JSONValue(parsing: JSONEncoder().encode(credential))
        guard case .array(let tokens)? = document["tokens"] else { throw TestError() }
        let damages: [JSONValue] = [
            .null, "text", [:], ["key": ["resource": "a b", "scopes": []]],
            ["key": ["resource": "https://two.example"]],
        ]
        for damage in damages {
            var damaged = document
            damaged["tokens"] = .array([damage, tokens[0]])
            let read = try decoded(damaged)
            #expect(read.tokens == [Self.token("a")] && read.refreshToken == "refresh")
        }
        for member in ["tokens", "refusals", "agreedScopes"] {
            var damaged = document
            damaged[member] = "no list"
            #expect(try decoded(damaged).refreshToken == "refresh")
        }
    }

    @Test("Of tokens for resources the expired are dropped, then the oldest of more than sixteen")
    func bounded() throws {
        var credential = Self.credential()
        credential.file(Self.token("expired", "https://old.example", end: 0))
        for number in 0..<20 { credential.file(Self.token("t\(number)", "https://\(number).example")) }
        credential.file(Self.token("again", "https://4.example"))
        credential.dropOldTokens(at: Self.now)
        let kept = credential.tokens.map { $0.accessToken.reveal() }
        #expect(kept == (5..<20).map { "t\($0)" } + ["again"])
    }

    @Test("A record that is too large loses tokens for resources before its own, the oldest first")
    func size() throws {
        let large = String(repeating: "t", count: 10_000)
        let credential = Self.credential {
            $0.profile = AccountProfile(displayName: "Ada")
            $0.tokens = (0..<6).map { Self.token(large + "\($0)", "https://\($0).example") }
        }
        let record = StoreRecord(
            key: .account(AccountID(account: "ada", realm: "work")), generation: 1, content: try credential.stored())
        guard case .live(let stored)? = try SessionRecord(record) else { throw TestError() }
        #expect(record.content?.count ?? .max <= SessionRecord.maximumSize)
        #expect(stored.tokens == Array(credential.tokens.suffix(4)))
        #expect(stored.profile == credential.profile && stored.refreshToken == "refresh")
    }
}
