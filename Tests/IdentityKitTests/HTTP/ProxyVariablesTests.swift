import Foundation
import Testing

@testable import IdentityKit

/// What libcurl makes of the environment. `ProxyTests` of the processes holds the same against libcurl itself.
@Suite struct ProxyVariablesTests {
    private static func variables(
        _ values: [String: String], curl version: String? = "libcurl/7.88.1 OpenSSL/3.0.19"
    ) -> ProxyVariables {
        ProxyVariables(value: { values[$0] }, curlVersion: version)
    }

    private static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test(
        "A variable that names a proxy for the scheme is found, in libcurl's order",
        arguments: [
            (["http_proxy": "p"], "http", "http_proxy"), (["HTTP_PROXY": "p"], "http", nil),
            (["https_proxy": "p"], "https", "https_proxy"), (["HTTPS_PROXY": "p"], "https", "HTTPS_PROXY"),
            (["https_proxy": "p"], "http", nil), (["http_proxy": "p"], "https", nil),
            (["all_proxy": "p"], "http", "all_proxy"), (["ALL_PROXY": "p"], "https", "ALL_PROXY"),
            (["http_proxy": "", "all_proxy": "", "ALL_PROXY": "socks5://p"], "http", "ALL_PROXY"),
            (["http_proxy": "p", "all_proxy": "p"], "http", "http_proxy"), (["All_Proxy": "p"], "http", nil),
            ([:], "http", nil),
        ] as [([String: String], String, String?)])
    func proxy(values: [String: String], scheme: String, variable: String?) throws {
        #expect(Self.variables(values).diverting(try Self.url("\(scheme)://127.0.0.1:8080/x")) == variable)
    }

    @Test(
        "Every spelling of this machine is this machine",
        arguments: [
            "127.0.0.1", "127.255.0.9", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "0.0.0.0", "localhost",
            "LocalHost",
            "localhost.", "a.localhost", "A.B.LocalHost.", "[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]",
            "[::127.0.0.1]",
        ])
    func thisMachine(host: String) throws {
        #expect(Self.variables(["http_proxy": "p"]).diverting(try Self.url("http://\(host):1/")) == "http_proxy")
    }

    @Test(
        "Another machine is none of its business",
        arguments: [
            "128.0.0.1", "10.0.0.1", "example.com", "localhost.example.com", "notlocalhost", "127.0.0.1.nip.io",
            "[::2]",
            "[2001:db8::1]", "[::ffff:10.0.0.1]", "[fe80::1]", "[1::7f00:1]",
        ])
    func anotherMachine(host: String) throws {
        #expect(Self.variables(["http_proxy": "p"]).diverting(try Self.url("http://\(host):1/")) == nil)
    }

    @Test(
        "What every version of libcurl takes for an exception is one",
        arguments: [
            ("*", "127.0.0.1"), ("*", "[::1]"), ("*", "127.1"), ("localhost,127.0.0.1,::1", "127.0.0.1"),
            ("localhost,127.0.0.1,::1", "localhost"), ("localhost,127.0.0.1,::1", "[::1]"),
            ("localhost, 127.0.0.1 , ::1", "127.0.0.1"), (",,127.0.0.1,", "127.0.0.1"), ("127.9.9.9", "127.9.9.9"),
            ("LOCALHOST", "localhost"), (".localhost", "localhost"), ("localhost", "a.LocalHost"),
            (".localhost", "a.localhost"), ("a.localhost", "b.a.localhost"),
        ])
    func exceptions(list: String, host: String) throws {
        for name in ["no_proxy", "NO_PROXY"] {
            let variables = Self.variables(["http_proxy": "p", name: list], curl: nil)
            #expect(variables.diverting(try Self.url("http://\(host):1/")) == nil, "\(name)")
        }
    }

    @Test(
        "What none or only some of them do is none",
        arguments: [
            ("", "127.0.0.1"), (" *", "127.0.0.1"), ("*,x", "127.0.0.1"), ("localhost", "127.0.0.1"),
            ("127.0.0.1", "localhost"), ("127.0.0.1:1", "127.0.0.1"), ("localhost:1", "localhost"),
            ("localhost;127.0.0.1", "127.0.0.1"), ("localhost 127.0.0.1", "127.0.0.1"), ("0.0.1", "127.0.0.1"),
            ("127.*", "127.0.0.1"), ("127.1", "127.0.0.1"), ("127.0.0.1.", "127.0.0.1"), ("127.1", "127.1"),
            ("127.0.0.01", "127.0.0.01"), ("host", "localhost"), ("..localhost", "localhost"), (".", "localhost"),
            ("*.localhost", "a.localhost"), ("a.localhost", "localhost"), ("localhost", "localhost."),
            ("[::1]", "[::1]"), ("::1/128", "[::1]"), ("::1", "[0:0:0:0:0:0:0:1]"), ("127.0.0.0/33", "127.0.0.1"),
            ("127.0.0.0/0", "127.0.0.1"), ("127.0.0.0/08", "127.0.0.1"), ("127.0.0.0/", "127.0.0.1"),
            ("127.0.0.0/+8", "127.0.0.1"), ("127.0.1.0/24", "127.0.0.1"), ("127.0.0.0/8/8", "127.0.0.1"),
        ])
    func noExceptions(list: String, host: String) throws {
        let variables = Self.variables(["http_proxy": "p", "no_proxy": list])
        #expect(variables.diverting(try Self.url("http://\(host):1/")) == "http_proxy")
    }

    @Test(
        "A network is an exception from the version on that knows of networks",
        arguments: [
            ("libcurl/7.87.0", true), ("libcurl/8.5.0 GnuTLS/3.8", true), ("libcurl/10.0", true),
            ("libcurl/7.86.0", false),
            ("libcurl/7.9.8", false), ("libcurl/", false), ("", false), (nil, false),
        ] as [(String?, Bool)])
    func networks(version: String?, isKnown: Bool) throws {
        for (network, host) in [
            ("127.0.0.0/8", "127.9.9.9"), ("127.0.0.1/32", "127.0.0.1"), ("0.0.0.0/1", "127.0.0.1"),
        ] {
            let variables = Self.variables(["http_proxy": "p", "no_proxy": "x, " + network], curl: version)
            #expect((variables.diverting(try Self.url("http://\(host):1/")) == nil) == isKnown, "\(network)")
        }
    }

    @Test("The lower-case list counts, and the other when that is missing or empty")
    func lists() throws {
        let url = try Self.url("http://127.0.0.1/")
        let proxy = ["http_proxy": "p"]
        #expect(Self.variables(proxy.merging(["no_proxy": "x", "NO_PROXY": "*"]) { $1 }).diverting(url) != nil)
        #expect(Self.variables(proxy.merging(["no_proxy": "*", "NO_PROXY": "x"]) { $1 }).diverting(url) == nil)
        #expect(Self.variables(proxy.merging(["no_proxy": "", "NO_PROXY": "*"]) { $1 }).diverting(url) == nil)
    }

    @Test("The failure says which variable it is, and what to set")
    func message() {
        let failure = TransportError.proxiedLoopback(host: "127.0.0.1:8080", variable: "all_proxy")
        #expect(failure.failureCode == "loopback_through_proxy")
        #expect(failure.failureClass == .definitive && failure.wasNeverSent)
        #expect(
            failure.message == """
                127.0.0.1:8080 is this machine, and all_proxy would send the request to a proxy, so it was not sent. Set \
                no_proxy=localhost,127.0.0.1,::1 for this program.
                """)
        let other = TransportError.proxiedLoopback(host: "127.9.9.9:8080", variable: "all_proxy")
        #expect(other.message.contains("no_proxy=localhost,127.0.0.1,::1,127.9.9.9 for"))
        let longer = TransportError.proxiedLoopback(host: "[::1]:8080", variable: "all_proxy")
        #expect(longer.message.contains("no_proxy=localhost,127.0.0.1,::1 for"))
    }
}
