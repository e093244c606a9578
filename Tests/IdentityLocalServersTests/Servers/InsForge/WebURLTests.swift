import Testing

@testable import IdentityLocalServers

/// The expectations were computed with the `URL` class of Node.js 20.
@Suite("Web URL: addresses as JavaScript parses, prints and extends them")
struct WebURLTests {
    @Test(
        "An address is normalised, and a parameter is added with the whole query form-encoded",
        arguments: [
            ("yourapp://auth/callback", "yourapp://auth/callback", "yourapp://auth/callback?k=c+d"),
            (
                "com.example.app:/oauth2redirect", "com.example.app:/oauth2redirect",
                "com.example.app:/oauth2redirect?k=c+d"
            ),
            ("https://a.example/cb?x=1#f", "https://a.example/cb?x=1#f", "https://a.example/cb?x=1&k=c+d#f"),
            ("YourApp://Auth/CB", "yourapp://Auth/CB", "yourapp://Auth/CB?k=c+d"),
            ("https://a.example", "https://a.example/", "https://a.example/?k=c+d"),
            ("HTTPS://A.Example:443/x/../y/./z", "https://a.example/y/z", "https://a.example/y/z?k=c+d"),
            (
                "http://127.0.0.1:9999/callback", "http://127.0.0.1:9999/callback",
                "http://127.0.0.1:9999/callback?k=c+d"
            ),
            ("app://cb?a=b%20c&a=2", "app://cb?a=b%20c&a=2", "app://cb?a=b+c&a=2&k=c+d"),
            ("app:///cb", "app:///cb", "app:///cb?k=c+d"),
            ("app:opaque path", "app:opaque path", "app:opaque path?k=c+d"),
            ("https://u:p@h.example:8443", "https://u:p@h.example:8443/", "https://u:p@h.example:8443/?k=c+d"),
            ("app://cb?k=old&x=1&k=older", "app://cb?k=old&x=1&k=older", "app://cb?k=c+d&x=1"),
            ("https://a.example/a b?q=ü", "https://a.example/a%20b?q=%C3%BC", "https://a.example/a%20b?q=%C3%BC&k=c+d"),
            ("https:a.example/x", "https://a.example/x", "https://a.example/x?k=c+d"),
            ("http://[::1]:80/cb", "http://[::1]/cb", "http://[::1]/cb?k=c+d"),
            ("app://h:99", "app://h:99", "app://h:99?k=c+d"),
            ("app://cb?", "app://cb?", "app://cb?k=c+d"),
            ("app://cb#", "app://cb#", "app://cb?k=c+d#"),
            (
                "https://a.example/%7Bx%7D?y='", "https://a.example/%7Bx%7D?y=%27",
                "https://a.example/%7Bx%7D?y=%27&k=c+d"
            ),
            (" app://cb ", "app://cb", "app://cb?k=c+d"),
            (#"app://cb/a\b"#, #"app://cb/a\b"#, #"app://cb/a\b?k=c+d"#),
            (#"https://a.example\b"#, "https://a.example/b", "https://a.example/b?k=c+d"),
            ("app://Ünï/x", "app://%C3%9Cn%C3%AF/x", "app://%C3%9Cn%C3%AF/x?k=c+d"),
            ("http://a.example:00080/", "http://a.example/", "http://a.example/?k=c+d"),
            ("app:///../x", "app:///x", "app:///x?k=c+d"),
            ("https://a.example/x/..", "https://a.example/", "https://a.example/?k=c+d"),
            ("app://cb?x=%zz", "app://cb?x=%zz", "app://cb?x=%25zz&k=c+d"),
            ("app://cb?a+b=c+d", "app://cb?a+b=c+d", "app://cb?a+b=c+d&k=c+d"),
            ("app://cb?a=%E2%9C%93~!'()*", "app://cb?a=%E2%9C%93~!'()*", "app://cb?a=%E2%9C%93%7E%21%27%28%29*&k=c+d"),
        ])
    func rewriting(text: String, href: String, extended: String) throws {
        let url = try #require(WebURL(text))
        #expect(url.href == href)
        #expect(url.with(["k": "c d"]).href == extended)
    }

    @Test(
        "What is no absolute address is refused",
        arguments: [
            "nowhere", "/x", "https://", "http://a.example:99999", "http://a b/", "://x", "", "1a:x", "http://[1::zz]/",
            "http://a.example:x/", "app://a b/c", "app://h:99999", "https://%00/", "http://a.example:+80/",
            "http://[::1",
        ])
    func refusal(text: String) { #expect(WebURL(text) == nil) }
}
