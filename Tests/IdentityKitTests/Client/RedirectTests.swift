#if os(Linux)
import Foundation
import FoundationNetworking
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// A library that follows redirects, and the tokens in its requests.
@Suite(.endsInTime) struct RedirectTests {
    /// Lets the system's client follow redirects with what `next` makes of its request.
    private final class Following: NSObject, URLSessionTaskDelegate, Sendable {
        private let next: @Sendable (URLRequest, HTTPURLResponse) -> URLRequest?

        init(_ next: @escaping @Sendable (URLRequest, HTTPURLResponse) -> URLRequest?) { self.next = next }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(next(request, response))
        }
    }

    private let authorizer = IdentityClient(
        provider: ScriptedProvider("work", silent: .account("ada")),
        environment: IdentityEnvironment(store: MemoryTokenStore())
    ).authorizer()

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("Another host receives the token from a library that follows blindly, and none from one that asks")
    func anotherHost() async throws {
        let tokens = Locked<[String]>([])
        let other = try await LocalHTTPServer.start { request in
            tokens.withLock { $0.append(request.header("Authorization") ?? "none") }
            return .text("hello")
        }
        let first = try await LocalHTTPServer.start { _ in
            LocalResponse(status: 307, headers: [("Location", "\(other.url.absoluteString)/there")])
        }
        let request = try await authorizer.authorize(URLRequest(url: first.url))
        let ways: [(@Sendable (URLRequest, HTTPURLResponse) -> URLRequest?, expected: [String])] = [
            ({ request, _ in request }, ["Bearer token of work/ada"]),
            ({ _, _ in nil }, []),
            ({ [authorizer] in authorizer.redirected($0, by: $1) }, ["none"]),
        ]
        for (next, expected) in ways {
            let session = URLSession(configuration: .ephemeral, delegate: Following(next), delegateQueue: nil)
            _ = try await session.data(for: request)
            session.finishTasksAndInvalidate()
            #expect(tokens.exchange([]) == expected)
        }
        await first.stop()
        await other.stop()
    }

    @Test(
        "The token stays with its server, by scheme, host and port",
        arguments: [
            ("https://api.example.com/b", true), ("https://API.example.com/b", true),
            ("https://api.example.com:443/b", true), ("http://api.example.com:443/b", false),
            ("http://api.example.com/b", false), ("https://api.example.com:8443/b", false),
            ("https://api.example.com.evil.example/b", false), ("https://example.com/b", false),
            ("https://api.example.com@evil.example/b", false),
        ])
    func origins(target: String, stays: Bool) throws {
        let from = try url("https://api.example.com/a")
        let response = try #require(
            HTTPURLResponse(url: from, statusCode: 302, httpVersion: nil, headerFields: nil))
        var request = URLRequest(url: try url(target))
        request.setValue("DPoP token", forHTTPHeaderField: "Authorization")
        request.setValue("proof", forHTTPHeaderField: "DPoP")
        request.setValue("kept", forHTTPHeaderField: "X-Other")
        let next = authorizer.redirected(request, by: response)
        #expect(next.value(forHTTPHeaderField: "Authorization") == (stays ? "DPoP token" : nil))
        #expect(next.value(forHTTPHeaderField: "DPoP") == (stays ? "proof" : nil))
        #expect(next.value(forHTTPHeaderField: "X-Other") == "kept" && next.url == request.url)
    }
}
#endif
