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
        authorizer = RequestAuthorizer(
            IdentityClient(
                provider: ScriptedProvider("work", silent: .account("ada")),
                environment: IdentityEnvironment(store: MemoryTokenStore())))
        request = URLRequest(url: try #require(URL(string: "https://api.example.com/things")))
    }

    private func header(_ request: URLRequest?) -> String? { request?.value(forHTTPHeaderField: "Authorization") }

    @Test("A request gets the token")
    func authorizes() async throws {
        #expect(header(try await authorizer.authorized(request)) == "Bearer token of work/ada")
    }

    @Test("A request that was refused gets another token")
    func reauthorizes() async throws {
        let refused = try await authorizer.authorized(request)
        let again = try await authorizer.reauthorized(refused)
        #expect(header(again) == "Bearer newer token of work/ada")
        // There is no newer one than that.
        #expect(try await authorizer.reauthorized(try #require(again)) == nil)
        #expect(try await authorizer.reauthorized(request) == nil)
    }

    @Test("A token is not sent in the clear")
    func refusesPlainHTTP() async throws {
        let plain = URLRequest(url: try #require(URL(string: "http://api.example.com/things")))
        await #expect(throws: ClientError.insecureRequest("api.example.com")) { try await authorizer.authorized(plain) }
        // Nor a newer one.
        var refused = plain
        refused.setValue("Bearer token of work/ada", forHTTPHeaderField: "Authorization")
        await #expect(throws: ClientError.insecureRequest("api.example.com")) {
            try await authorizer.reauthorized(refused)
        }
    }

    @Test("To this machine a token may go in the clear")
    func loopback() async throws {
        let local = URLRequest(url: try #require(URL(string: "http://127.0.0.1:8080/things")))
        #expect(header(try await authorizer.authorized(local)) == "Bearer token of work/ada")
    }

    @Test("A request with somebody else's authorization is not asked about")
    func foreignAuthorization() async throws {
        var foreign = request
        foreign.setValue("Basic dTpw", forHTTPHeaderField: "Authorization")
        #expect(try await authorizer.reauthorized(foreign) == nil)
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
}
