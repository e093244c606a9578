import IdentityKit
import Testing

@Suite struct ServerURLTests {
    @Test(
        "A good address is kept without trailing slashes",
        arguments: [
            ("https://id.example.com", "https://id.example.com"),
            ("https://id.example.com/", "https://id.example.com"),
            (" https://id.example.com/base// ", "https://id.example.com/base"),
            ("HTTPS://ID.Example.com:8443/Base", "https://id.example.com:8443/Base"),
            ("https://id.example.com:443", "https://id.example.com"),
        ])
    func accepted(text: String, expected: String) throws {
        #expect(try ServerURL(text).description == expected)
    }

    @Test("A path prefix is kept when a path is appended")
    func appending() throws {
        let server = try ServerURL("https://example.com/auth/")
        #expect(server.appending("oauth2/token").absoluteString == "https://example.com/auth/oauth2/token")
    }

    @Test("Plain http is for this machine, and only when asked for")
    func loopback() throws {
        for host in ["127.0.0.1:8080", "127.255.0.9", "localhost", "[::1]:9", "localhost:443"] {
            #expect(try ServerURL("http://\(host)", allowsLoopbackHTTP: true).description == "http://\(host)")
            #expect(throws: ServerURLError.loopbackHTTPNotAllowed("http://\(host)")) {
                try ServerURL("http://\(host)")
            }
        }
    }

    @Test(
        "Everything else is refused with its reason",
        arguments: [
            ("", ServerURLError.empty), ("   ", .empty), ("id.example.com", .notAbsolute("id.example.com")),
            ("https://", .notAbsolute("https://")), ("http://id.example.com", .insecure("http://id.example.com")),
            ("http://127.0.0.1.example.com", .insecure("http://127.0.0.1.example.com")),
            ("ftp://id.example.com", .insecure("ftp://id.example.com")),
            ("http://127.+1.0.1", .insecure("http://127.+1.0.1")), ("http://128.0.0.1", .insecure("http://128.0.0.1")),
            ("https://ada:pw@id.example.com", .containsCredentials), ("ada:pw@id.example.com", .containsCredentials),
            ("https://ada@id.example.com", .containsCredentials),
            ("https://id.example.com?x=1", .containsQueryOrFragment),
            ("https://id.example.com#x", .containsQueryOrFragment),
        ])
    func refused(text: String, error: ServerURLError) {
        #expect(throws: error) { try ServerURL(text, allowsLoopbackHTTP: true) }
        #expect(!error.message.isEmpty)
    }
}
