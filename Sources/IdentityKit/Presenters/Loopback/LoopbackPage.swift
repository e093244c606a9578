import Foundation

/// The pages that the listener sends to the browser: the answers to callbacks and to other requests, and the page that
/// posts the form of a sign-out.
enum LoopbackPage {
    /// The page that the browser shows after the response to a sign-in.
    /// - Parameter response: the callback. With an `error` in it, the page shows that the sign-in failed. For a response
    ///   that cannot be read here, such as a signed one, the page shows only that it has arrived.
    static func done(_ response: URL) -> LoopbackResponse {
        let fields = FormText.decode(
            URLComponents(url: response, resolvingAgainstBaseURL: true)?.percentEncodedQuery ?? "")
        let error = fields?.first { ["error", "insforge_error"].contains($0.name) }?.value
        guard let error else {
            let isReadable = fields?.contains { $0.name == "response" } == false
            return page(
                status: 200, sign: .good, title: isReadable ? "The browser is done" : "The response has arrived",
                text: isReadable
                    ? "The sign-in continues in the program that opened it. You can close this page."
                    : "The program that opened the sign-in checks it. You can close this page.")
        }
        let title = error == "access_denied" ? "The sign-in was refused or cancelled" : "The sign-in failed"
        // Show only a text in the form of an error code, so that no sender can put a message on this page.
        let isCode = error.wholeMatch(of: /[A-Za-z0-9_\-]{1,64}/) != nil && error != "access_denied"
        let code = isCode ? "The server reported <code>\(error)</code>. " : ""
        return page(
            status: 200, sign: .bad, title: title,
            text: "\(code)Nobody was signed in. You can close this page and begin again in the program.")
    }

    /// The page that the browser shows after the server's sign-out page. The text does not say that the person is signed out,
    /// because a server also sends the browser back when the person chose to stay signed in.
    static let signedOut = page(
        status: 200, sign: .good, title: "The browser is done",
        text: "The server has sent it back after the sign-out. You can close this page.")

    static let stopped = page(
        status: 200, sign: .bad, title: "The sign-in was stopped",
        text: "The program waits no longer. You can close this page.")

    /// The page for an error whose sender is unknown. Any page or program may have sent the error, so the sign-in goes on.
    /// - Parameter path: the path to which the button "Stop waiting" posts.
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

    /// The page for a request to the redirect URI that is not the expected response.
    static let unknownSignIn = page(
        status: 400, title: "This page belongs to no sign-in",
        text: """
            This request belongs to no sign-in that is under way, so it was ignored. If you are signing in, continue in the \
            page that was opened for it, or start again.
            """)

    /// The page for a request to a path that the listener does not serve, or with an unsuitable host, method or body.
    static let nothingHere = page(
        status: 404, title: "Nothing to see here", text: "No sign-in waits for this address.")

    /// The page that posts the form of a sign-out to the server, so that no address contains the ID token. Without
    /// JavaScript, the person presses a button.
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
            // Allow the form's target and this page: Chromium also applies `form-action` to the redirects after a form,
            // and the last redirect leads back here.
            policy: "form-action 'self' \(form.action.policySource); script-src \(hash(of: script))",
            // Send no referrer, because the page's own address is a secret.
            referrerPolicy: "no-referrer")
    }

    /// Whether a page reports a success or a failure. The page shows this as a color and a sign.
    private enum Sign: String { case good, bad }

    private static let script = "document.forms[0].submit()"

    private static let style = """
        :root{color-scheme:light dark;background:Canvas;color:CanvasText}\
        main{font:100%/1.5 system-ui,sans-serif;max-width:26rem;margin:15vh auto;padding:0 1.25rem;text-align:center;\
        overflow-wrap:anywhere}h1{font-size:1.625rem;line-height:1.2}button{font:inherit;padding:.5rem 1rem}\
        .sign{width:3.5rem;margin:auto;border-radius:50%;color:#fff;font:700 2rem/3.5rem system-ui,sans-serif}\
        .good{background:#176437}.bad{background:#a3201d}
        """

    private static func hash(of text: String) -> String {
        "'sha256-\(sha256(Data(text.utf8)).base64EncodedString())'"
    }

    // The page's address may contain an authorization code, so the page loads nothing, has no links and is not cached.
    private static func page(
        status: Int, sign: Sign? = nil, title: String, text: String, content: String = "",
        policy: String = "form-action 'none'", referrerPolicy: String = "same-origin"
    ) -> LoopbackResponse {
        let mark = sign.map { "<p class=\"sign \($0.rawValue)\" aria-hidden=\"true\">\($0 == .good ? "✓" : "✕")</p>" }
        let page = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark"><title>\(title)</title><style>\(style)</style></head>
            <body><main>\(mark ?? "")<h1>\(title)</h1><p>\(text)</p>\(content)</main></body></html>

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
    /// The origin as written in a content security policy; only the scheme for a host that a policy cannot name, such
    /// as an IPv6 address (CSP level 3 section 2.3.1).
    fileprivate var policySource: String {
        guard let scheme, let host, host.wholeMatch(of: #/[A-Za-z0-9.\-]+/#) != nil else { return "\(scheme ?? ""):" }
        return "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "")
    }
}
