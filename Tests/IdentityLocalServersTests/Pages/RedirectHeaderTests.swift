import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

/// What a browser gets besides pages: addresses with codes in them, and texts.
@Suite("Redirects and texts of the local servers", .stopsServers)
struct RedirectHeaderTests {
    @Test("ThunderID: what stands in the page of a redirect is text")
    func thunderID() async throws {
        let body = LocalResponse.found("https://a.example/?x=\"><script>&y").body
        #expect(
            String(decoding: body, as: UTF8.self)
                == "<a href=\"https://a.example/?x=&quot;&gt;&lt;script&gt;&amp;y\">Found</a>.\n\n")
    }

    @Test("InsForge: no cache keeps a callback, and an error that is a page runs nothing")
    func insForge() async throws {
        let probe = try await InsForgeProbe.start { $0.legacy.notFoundIsHTML = true }
        let provider = try await FormVisitor(probe.server.url).open(probe.startOAuth("google"))
        #expect(provider.url.scheme == "app" && provider.header("Cache-Control") == "no-store")
        #expect(provider.header("X-Content-Type-Options") == "nosniff")
        let missing = try await FormVisitor(probe.server.url).open("/nowhere")
        #expect(missing.status == 404 && missing.header("Content-Security-Policy") == "default-src 'none'")
        #expect(missing.header("X-Content-Type-Options") == "nosniff")
    }

    @Test("The fake provider redirects only to this server, with a form or without", arguments: [true, false])
    func fakeProvider(asksPeople: Bool) async throws {
        let probe = try await InsForgeProbe.start { $0.asksPeople = asksPeople }
        for target in ["https://evil.example/", "\(probe.server.url)@evil.example/", "", "javascript:alert(1)"] {
            let encoded = target.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let page = try await FormVisitor(probe.server.url)
                .open("/fake-provider/authorize?redirect_uri=\(encoded)&state=s")
            #expect(page.status == 400 && page.title == "This did not work", Comment(rawValue: target))
        }
    }
}
