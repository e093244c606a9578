import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The characters of RFC 6749 appendix A, at every way in and out.
@Suite("Tokens have no line breaks (RFC 6749 appendix A)")
struct OAuthTextTests {
    /// What no token is. The first would add a header of its own.
    static let hostile = [
        "abc\r\nX-Injected: 1", "abc\n", "\r", "abc\u{0}", "abc\u{7F}", "abc\u{1B}[2J", "abc\t", "å", "abc\u{2028}", "",
    ]

    @Test("VSCHAR, NQSCHAR and NQCHAR are what the RFC says")
    func characters() {
        for value in UInt8.min...UInt8.max {
            let text = String(Unicode.Scalar(value))
            let isASCII = value < 0x80
            #expect(text.isVisibleText == (isASCII && (0x20...0x7E).contains(value)))
            #expect(text.isErrorText == (text.isVisibleText && value != 0x22 && value != 0x5C))
            #expect(text.isUnquotedWord == (text.isErrorText && value != 0x20))
        }
    }

    @Test("A token is taken as it is, or refused with an error that does not show it", arguments: hostile)
    func token(text: String) throws {
        #expect(try "a b~!\"".asToken() == "a b~!\"")
        let error = #expect(throws: MalformedTokenError.self) { try text.asToken("value of X") }
        #expect(error?.failureCode == "token_malformed")
        #expect(error?.failureClass == .definitive)
        #expect(error?.message.contains("value of X") == true)
        #expect(error.map { "\($0) \($0.message)".contains("abc") } == false)
    }

    @Test("Providers of given tokens hand out none that no header can carry", arguments: hostile.dropLast())
    func givenTokens(text: String) async throws {
        let account = AccountID(account: "a", realm: "ci")
        let providers: [any SessionProvider] = [
            StaticTokenProvider(token: Secret(text), account: account),
            EnvironmentTokenProvider(account: account, variable: "X", read: { _ in text }),
        ]
        for provider in providers {
            await #expect(throws: MalformedTokenError.self) { try await provider.accessToken(for: account, scopes: []) }
            await #expect(throws: MalformedTokenError.self) {
                try await provider.authorize(Self.request(), for: account, scopes: [])
            }
        }
        let guests = AnonymousProvider(name: "guest", token: Secret(text), store: MemoryTokenStore())
        let guest = try #require(try await guests.signIn(scopes: [], deviceToken: "d"))
        await #expect(throws: MalformedTokenError.self) { try await guests.accessToken(for: guest, scopes: []) }
    }

    /// A provider of three methods with whatever token.
    private struct Careless: IdentityProvider {
        let account: AccountID
        let token: String
        let mayShowSignIn = false

        func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? { account }

        func requestAuthorization(
            for accountID: AccountID, scopes: Set<String>, deviceToken: String
        ) async throws -> Data? { nil }

        func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String { token }
    }

    @Test("A client hands out no such token, whichever provider made it", arguments: hostile)
    func clientTokens(text: String) async throws {
        let account = AccountID(account: "a", realm: "provider")
        let client = IdentityClient(
            provider: Careless(account: account, token: text),
            environment: IdentityEnvironment(store: MemoryTokenStore()))
        let calls: [@Sendable () async throws -> String] = [
            { try await client.accessToken() },
            { try await client.accessToken(freshness: .lasting(.seconds(60))) },
            { try await client.accessToken(freshness: .other(than: "former")) },
            { try await client.accessToken(as: account) },
            { try await client.accessToken(as: account, freshness: .lasting(.seconds(60))) },
            { try await client.accessToken(as: account, freshness: .other(than: "former")) },
        ]
        for call in calls { await #expect(throws: MalformedTokenError.self) { try await call() } }
    }

    @Test("No session begins with such a token, and nothing is stored", arguments: hostile)
    func begunSessions(text: String) async throws {
        let (store, account) = (MemoryTokenStore(), AccountID(account: "a", realm: "ci"))
        let sessions = ProviderSessions(
            realm: "ci", origin: SessionOrigin(type: "t", backend: "b"), store: store, time: .system
        ) { _ in .refused(reason: "") }
        for (access, refresh) in [(text, "r"), ("a", text)] {
            let credential = Credential(
                accessToken: Secret(access), refreshToken: Secret(refresh), issuedAt: .now, expiresAt: nil,
                signedInAt: .now, backend: "b")
            await #expect(throws: MalformedTokenError.self) { try await sessions.begin(credential, for: account) }
        }
        #expect(try await sessions.lookUp(account).account == nil)
    }

    @Test("No request gets a token that is more than a word of its header", arguments: hostile)
    func requests(text: String) async throws {
        let authorizer = RequestAuthorizer { _ in text }
        await #expect(throws: MalformedTokenError.self) { try await authorizer.authorize(Self.request()) }
        var refused = try Self.request()
        refused.setValue("Bearer former", forHTTPHeaderField: "Authorization")
        let request = refused
        await #expect(throws: MalformedTokenError.self) { try await authorizer.retry(of: request) }
    }

    @Test("A stored session with such a token is damaged", arguments: hostile)
    func storedTokens(text: String) throws {
        let credential = Credential(
            accessToken: "a", refreshToken: "r", idToken: "i", issuedAt: .now, expiresAt: nil, signedInAt: .now,
            backend: "b")
        let document = try JSONValue(parsing: JSONEncoder().encode(credential))
        for member in ["accessToken", "refreshToken", "idToken"] where member == "accessToken" || !text.isEmpty {
            var changed = document
            changed[member] = .string(text)
            let content = try JSONEncoder().encode(changed)
            #expect(throws: DecodingError.self, "\(member)") {
                try JSONDecoder().decode(Credential.self, from: content)
            }
        }
    }

    private static func request() throws -> URLRequest {
        URLRequest(url: try #require(URL(string: "https://api.example.com/")))
    }
}
