import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Tokens for requests that another library sends.
@Suite struct RequestAuthorizerTests {
    private let authorizer: RequestAuthorizer
    private let request: URLRequest

    init() throws {
        authorizer = IdentityClient(
            provider: ScriptedProvider("work", silent: .account("ada")),
            environment: IdentityEnvironment(store: MemoryTokenStore())
        ).authorizer()
        request = URLRequest(url: try #require(URL(string: "https://api.example.com/things")))
    }

    private func header(_ request: URLRequest?) -> String? { request?.value(forHTTPHeaderField: "Authorization") }

    @Test("A request gets the token")
    func authorizes() async throws {
        #expect(header(try await authorizer.authorize(request)) == "Bearer token of work/ada")
    }

    @Test("A request that was refused gets another token")
    func reauthorizes() async throws {
        let refused = try await authorizer.authorize(request)
        let again = try await authorizer.retry(of: refused)
        #expect(header(again) == "Bearer newer token of work/ada")
        // There is no newer one than that.
        #expect(try await authorizer.retry(of: try #require(again)) == nil)
        #expect(try await authorizer.retry(of: request) == nil)
    }

    @Test("A token is not sent in the clear")
    func refusesPlainHTTP() async throws {
        let plain = URLRequest(url: try #require(URL(string: "http://api.example.com/things")))
        await #expect(throws: ClientError.insecureRequest("api.example.com")) { try await authorizer.authorize(plain) }
        // Nor a newer one.
        var refused = plain
        refused.setValue("Bearer token of work/ada", forHTTPHeaderField: "Authorization")
        await #expect(throws: ClientError.insecureRequest("api.example.com")) {
            try await authorizer.retry(of: refused)
        }
    }

    @Test("To this machine a token may go in the clear")
    func loopback() async throws {
        let local = URLRequest(url: try #require(URL(string: "http://127.0.0.1:8080/things")))
        #expect(header(try await authorizer.authorize(local)) == "Bearer token of work/ada")
    }

    @Test("A request with somebody else's authorization is not asked about")
    func foreignAuthorization() async throws {
        var foreign = request
        foreign.setValue("Basic dTpw", forHTTPHeaderField: "Authorization")
        #expect(try await authorizer.retry(of: foreign) == nil)
    }

    @Test("Code without async is told a failure")
    func completionFails() async throws {
        let plain = URLRequest(url: try #require(URL(string: "http://api.example.com/things")))
        await #expect(throws: ClientError.insecureRequest("api.example.com")) {
            _ = try await withCheckedThrowingContinuation { continuation in
                authorizer.authorize(plain) { continuation.resume(with: $0) }
            }
        }
    }

    @Test("Code without async is told the result")
    func completion() async throws {
        let authorized = try await withCheckedThrowingContinuation { continuation in
            authorizer.authorize(request) { continuation.resume(with: $0) }
        }
        #expect(header(authorized) == "Bearer token of work/ada")
    }

    // MARK: The person

    /// An authorizer for a session whose token is `token`, and its provider.
    private func helped(
        _ fixture: SessionsFixture, mayShowSignIn: Bool = true, _ act: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> (RequestAuthorizer, HelpfulProvider) {
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        let provider = HelpfulProvider(sessions: fixture.sessions(), act: act)
        let client = IdentityClient(
            provider: provider,
            environment: IdentityEnvironment(store: fixture.store, time: fixture.clock.dates, variables: [:]))
        return (client.authorizer(mayShowSignIn: mayShowSignIn), provider)
    }

    private func refusal(_ status: Int, _ challenge: String) throws -> HTTPURLResponse {
        let url = try #require(request.url)
        let fields = ["WWW-Authenticate": challenge]
        return try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields))
    }

    @Test("A person is asked once for what a resource asks for, and again for something else")
    func stepsUp() async throws {
        let fixture = SessionsFixture()
        let (authorizer, provider) = try await helped(fixture) {
            fixture.clock.advance(by: .seconds(1))
            try await fixture.sessions().begin(fixture.credential("more"), for: fixture.account)
        }
        let mail = try refusal(403, #"Bearer error="insufficient_scope", scope="mail""#)
        let first = try await authorizer.authorize(request)
        let again = try #require(try await authorizer.retry(of: first, after: mail))
        #expect(header(again) == "Bearer more")
        // One that was refused before gets what the other one brought.
        #expect(header(try await authorizer.retry(of: first, after: mail)) == "Bearer more")
        #expect(try await authorizer.retry(of: again, after: mail) == nil)
        #expect(provider.asked.withLock { $0 } == 1)
        let files = try refusal(403, #"Bearer error="insufficient_scope", scope="files""#)
        #expect(try await authorizer.retry(of: again, after: files) != nil)
        #expect(provider.asked.withLock { $0 } == 2)
        #expect(try await authorizer.retry(of: again, after: try refusal(500, "Bearer")) == nil)
    }

    @Test("Nothing is shown unless the app says so, or for a body that can be read once")
    func showsNothing() async throws {
        let mail = try refusal(403, #"Bearer error="insufficient_scope", scope="mail""#)
        let (quiet, nobody) = try await helped(SessionsFixture(), mayShowSignIn: false)
        #expect(try await quiet.retry(of: try await quiet.authorize(request), after: mail) == nil)
        let fixture = SessionsFixture()
        let (authorizer, provider) = try await helped(fixture)
        var stream = request
        stream.httpBodyStream = InputStream(data: Data("once".utf8))
        let first = try await authorizer.authorize(stream)
        #expect(try await authorizer.retry(of: first, after: mail) == nil)
        #expect(try await authorizer.retry(of: first, after: try refusal(401, "Bearer")) == nil)
        #expect(nobody.asked.withLock { $0 } == 0 && provider.asked.withLock { $0 } == 0)
        // The next request has another token.
        #expect(header(try await authorizer.authorize(request)) == "Bearer token-1")
    }
}
