import Foundation

/// The pages that the browser shows after the callback or an error, and the one that posts a sign-out.
enum LoopbackPage {
    static let done = page(
        status: 200, title: "You can close this page", text: "The sign-in continues in the program that opened it.")

    static let signedOut = page(
        status: 200, title: "You can close this page", text: "The server has ended the browser's session.")

    static let stopped = page(
        status: 200, title: "You can close this page", text: "The program waits no longer.")

    /// An error that names no sign-in. Whoever asked for the page may be anybody, so it ends nothing.
    static func unconfirmed(_ code: String, stop path: String) -> LoopbackResponse {
        page(
            status: 400, title: "Somebody reported \(code.escapedForHTML)",
            text: """
                It is unconfirmed: every page and program can send this, so the sign-in goes on. If you have refused it, or \
                the server has, stop waiting.
                """,
            content: """

                <form method="post" action="\(path)"><button>Stop waiting</button></form>
                """,
            policy: "form-action 'self'")
    }

    /// The address is right, but the request is not the expected response.
    static let unknownSignIn = page(
        status: 400, title: "This page belongs to no sign-in",
        text: """
            This request belongs to no sign-in that is under way, so it was ignored. If you are signing in, continue in the \
            page that was opened for it, or start again.
            """)

    /// No sign-in waits for this address.
    static let nothingHere = page(
        status: 404, title: "Nothing to see here", text: "No sign-in waits for this address.")

    /// Sends the browser to the server with what no address may contain. Without a script it takes the button.
    static func posting(_ form: WebAuthenticationRequest.Form) -> LoopbackResponse {
        let fields = form.fields.map { name, value in
            "<input type=\"hidden\" name=\"\(name.escapedForHTML)\" value=\"\(value.reveal().escapedForHTML)\">"
        }
        return page(
            status: 200, title: "Sign out in this browser too",
            text: "The session in \(form.action.host?.escapedForHTML ?? "") is ended next.",
            content: """

                <form method="post" action="\(form.action.absoluteString.escapedForHTML)">\(fields.joined())
                <button>Sign out</button></form><script>\(script)</script>
                """,
            // Chromium follows no redirect after a form unless its target is named, too; the last one leads back here.
            policy: "form-action 'self' \(form.action.policySource); script-src \(hash(of: script))",
            // The page's own address is a secret.
            referrerPolicy: "no-referrer")
    }

    private static let script = "document.forms[0].submit()"

    private static let style = """
        :root{color-scheme:light dark;background:Canvas;color:CanvasText}\
        main{font:100%/1.5 system-ui,sans-serif;max-width:26rem;margin:15vh auto;padding:0 1.25rem}h1{font-size:1.625rem}\
        button{font:inherit;padding:.5rem 1rem}
        """

    private static func hash(of text: String) -> String {
        "'sha256-\(sha256(Data(text.utf8)).base64EncodedString())'"
    }

    // The address contains a code: the page loads nothing, has no links and is not cached.
    private static func page(
        status: Int, title: String, text: String, content: String = "", policy: String = "form-action 'none'",
        referrerPolicy: String = "same-origin"
    ) -> LoopbackResponse {
        let page = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark"><title>\(title)</title><style>\(style)</style></head>
            <body><main><h1>\(title)</h1><p>\(text)</p>\(content)</main></body></html>

            """
        let headers = [
            ("Content-Type", "text/html; charset=utf-8"),
            (
                "Content-Security-Policy",
                "default-src 'none'; base-uri 'none'; \(policy); frame-ancestors 'none'; style-src \(hash(of: style))"
            ),
            ("X-Frame-Options", "DENY"),
            ("Cache-Control", "no-store"),
            ("Referrer-Policy", referrerPolicy),
            ("X-Content-Type-Options", "nosniff"),
        ]
        return LoopbackResponse(status: status, headers: headers, body: Data(page.utf8))
    }
}

extension String {
    fileprivate var escapedForHTML: String {
        let entities = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")]
        return entities.reduce(self) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }
}

extension URL {
    /// The origin as a policy names it; the scheme alone for a host that a policy cannot name, such as an IPv6 address (CSP
    /// level 3 section 2.3.1).
    fileprivate var policySource: String {
        guard let scheme, let host, host.wholeMatch(of: #/[A-Za-z0-9.\-]+/#) != nil else { return "\(scheme ?? ""):" }
        return "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "")
    }
}
