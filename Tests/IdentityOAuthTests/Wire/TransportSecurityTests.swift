import Foundation
import IdentityOAuth
import TestSupport
import Testing

@Suite("Transport security (RFC 9700 section 2.6, RFC 8252 section 7.3)")
struct TransportSecurityTests {
    @Test(
        "which endpoints may be spoken to", .guards("end-to-end TLS"),
        arguments: [
            ("https://id.example/token", true, true), ("HTTPS://id.example", true, true),
            ("http://id.example/token", false, false), ("http://127.0.0.1:8080/", false, true),
            ("http://127.9.9.9/", false, true), ("http://[::1]:8080/", false, true),
            ("http://localhost:8080/", false, true), ("http://LOCALHOST/", false, true),
            ("http://127.0.0.1.evil.example/", false, false), ("http://127.0.0/", false, false),
            ("http://localhost.evil.example/", false, false), ("ftp://127.0.0.1/", false, false),
            ("https:///token", false, false), ("/token", false, false),
        ])
    func allowed(address: String, byDefault: Bool, withLoopback: Bool) throws {
        let url = try URL.known(address)
        #expect(TransportSecurity.httpsOnly.allows(url) == byDefault)
        #expect(TransportSecurity.loopbackHTTPAllowed.allows(url) == withLoopback)
    }
}
