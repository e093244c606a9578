import Testing

@testable import IdentityLocalServers

@Suite("InsForge redirect allow list")
struct RedirectAllowListTests {
    @Test("An empty list allows everything")
    func empty() {
        #expect(RedirectAllowList(entries: []).allows("anything"))
    }

    @Test(
        "An exact entry matches the normalised address with its query and fragment",
        arguments: [
            ("yourapp://auth/callback", "yourapp://auth/callback", true),
            ("https://A.example:443", "https://a.example/", true),
            ("https://a.example/cb/", "https://a.example/cb", true),
            ("https://a.example/cb//", "https://a.example/cb", false),
            ("https://a.example/cb", "https://a.example/cb?state=1", false),
            ("https://a.example/cb", "https://a.example/cb#f", false),
            ("https://a.example/cb", "http://a.example/cb", false),
            ("https://a.example/cb", "https://a.example/CB", false),
            ("yourapp://auth", "yourapp://Auth", false),
        ])
    func exact(entry: String, target: String, isAllowed: Bool) {
        #expect(RedirectAllowList(entries: ["other://x", entry]).allows(target) == isAllowed)
    }

    @Test(
        "A glob stays within a path segment unless it is a double one",
        arguments: [
            ("yourapp://auth/callback*", "yourapp://auth/callback?state=abc", true),
            ("yourapp://auth/callback*", "yourapp://auth/callback", true),
            ("yourapp://auth/callback*", "yourapp://auth/callback/evil", false),
            ("https://*.example.com/cb", "https://deep.sub.example.com/cb", true),
            ("https://*.example.com/cb", "https://evil.test/x.example.com/cb", false),
            ("https://a.example/**", "https://a.example/x/y?z=1", true),
            ("https://a.example/*", "https://a.example/x/y", false),
            ("https://a.example/v?", "https://a.example/v2", true),
            ("https://a.example/v?", "https://a.example/v/", false),
            ("http://127.0.0.1:[0-9]*/cb", "http://127.0.0.1:8080/cb", true),
            ("http://127.0.0.1:[!8]*/cb", "http://127.0.0.1:8080/cb", false),
            ("https://a.example/(x)*", "https://a.example/(x)y", true),
            ("https://a.example/[*", "https://a.example/x", false),
        ])
    func globs(entry: String, target: String, isAllowed: Bool) {
        #expect(RedirectAllowList(entries: [entry]).allows(target) == isAllowed)
    }

    @Test("What is no address is never allowed by an entry")
    func noAddress() {
        #expect(!RedirectAllowList(entries: ["**"]).allows("nowhere"))
    }
}
