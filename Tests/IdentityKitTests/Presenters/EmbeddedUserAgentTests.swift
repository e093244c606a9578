import Foundation
import TestSupport
import Testing

/// A page that asks for a password is the browser's, not the app's, which could read along (RFC 8252 section 8.12).
@Suite struct EmbeddedUserAgentTests {
    private static let root = PackageFolder.url

    @Test(
        "No library has a web view, and pages are shown by the system's session alone", .guards("embedded user agent"))
    func sources() throws {
        // What shows a page inside an app that can look into it.
        let webView = /\b(?:import WebKit|WKWebView\w*|UIWebView|WebView|JSContext)\b/
        var files = 0
        var authenticators: [String] = []
        for folder in ["Sources", "Providers"] {
            let paths = try #require(
                FileManager.default.enumerator(atPath: Self.root.appendingPathComponent(folder).path))
            for case let path as String in paths where path.hasSuffix(".swift") {
                let text = try String(
                    contentsOf: Self.root.appendingPathComponent(folder).appendingPathComponent(path), encoding: .utf8)
                #expect(text.firstMatch(of: webView) == nil, "\(path)")
                if text.contains("ASWebAuthenticationSession(") { authenticators.append(path) }
                files += 1
            }
        }
        #expect(files > 400)
        #expect(authenticators == ["IdentityKit/Presenters/SystemWebAuthenticator.swift"])
    }
}
