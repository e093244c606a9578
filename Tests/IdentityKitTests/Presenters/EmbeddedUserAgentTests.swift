import TestSupport
import Testing

/// A page that asks for a password is the browser's, not the app's, which could read along (RFC 8252 section 8.12).
@Suite struct EmbeddedUserAgentTests {
    @Test(
        "No library has a web view, and pages are shown by the system's session alone", .guards("embedded user agent"))
    func sources() throws {
        // What shows a page inside an app that can look into it.
        let webView = #"\b(?:import WebKit|WKWebView\w*|UIWebView|WebView|JSContext)\b"#
        #expect(try SourceFiles.places(of: webView).isEmpty)
        #expect(
            Set(try SourceFiles.places(of: #"ASWebAuthenticationSession\("#))
                == ["Sources/IdentityKit/Presenters/SystemWebAuthenticator.swift"])
    }
}
