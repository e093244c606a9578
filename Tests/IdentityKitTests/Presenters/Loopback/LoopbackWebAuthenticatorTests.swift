import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The system's browser, and the port it comes back to.
@Suite(.endsInTime) struct LoopbackWebAuthenticatorTests {
    private let browser = LoopbackWebAuthenticator(opensBrowser: false, timeout: Patience.limit) { _, _ in }

    @Test("An address that was prepared and never used makes room for the next one at its port")
    func abandoned() async throws {
        let port = FreePort.find()
        for path in ["a", "a", "b"] {
            let uri = try #require(URL(string: "http://127.0.0.1:\(port)/\(path)"))
            #expect(try await browser.redirectURI(for: uri) == uri)
        }
        await browser.close()
        await (try LocalHTTPServer.start(port: port) { _ in .text("") }).stop()
    }

    @Test(
        "The port is open from the page to its response, and no longer (RFC 8252 section 8.3)",
        .guards("port open only while waiting"), arguments: [true, false])
    func openOnlyWhileWaiting(isAnswered: Bool) async throws {
        let (pages, shown) = AsyncStream.makeStream(of: Void.self)
        let browser = LoopbackWebAuthenticator(opensBrowser: false, timeout: Patience.limit) { _, _ in shown.yield() }
        let registered = try #require(URL(string: "http://127.0.0.1/callback"))
        let uri = try await browser.redirectURI(for: registered)
        let page = try #require(URL(string: "https://id.example/authorize?state=right"))
        let visit = Task {
            try await browser.authenticate(WebAuthenticationRequest(url: page, redirectURI: uri))
        }
        for await _ in pages { break }
        let response = try #require(URL(string: uri.absoluteString + "?code=c&state=right"))
        if isAnswered {
            _ = try await DefaultTransport.make().data(for: URLRequest(url: response))
            #expect(try await visit.value == response)
        } else {
            visit.cancel()
            await #expect(throws: CancellationError.self) { try await visit.value }
        }
        let error = await #expect(throws: TransportError.self) {
            try await DefaultTransport.make().data(for: URLRequest(url: response))
        }
        #expect(error == .connectionRefused(host: "127.0.0.1:\(uri.port ?? 0)"))
        await browser.close()
    }

    @Test("An address that does not come back to this machine is refused before a page is shown")
    func elsewhere() async throws {
        for text in ["com.example.app:/callback", "https://127.0.0.1/callback", "http://app.example/callback"] {
            let uri = try #require(URL(string: text))
            await #expect(throws: LoopbackBrowserError.unreachableRedirect(text)) {
                try await browser.redirectURI(for: uri)
            }
        }
    }
}
