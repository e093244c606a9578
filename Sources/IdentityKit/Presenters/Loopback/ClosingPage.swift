import Foundation

/// The pages that the browser shows after the callback.
enum ClosingPage {
    static let done = page(
        status: 200, title: "You can close this page", text: "The sign-in continues in the program that opened it.")

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

    private static let style = """
        :root{color-scheme:light dark;background:Canvas;color:CanvasText}\
        main{font:100%/1.5 system-ui,sans-serif;max-width:26rem;margin:15vh auto;padding:0 1.25rem}h1{font-size:1.625rem}
        """

    // The address contains a code: the page loads nothing, has no links and is not cached.
    private static let headers = [
        ("Content-Type", "text/html; charset=utf-8"),
        (
            "Content-Security-Policy",
            "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-"
                + sha256(Data(style.utf8)).base64EncodedString() + "'"
        ),
        ("X-Frame-Options", "DENY"),
        ("Cache-Control", "no-store"),
        ("Referrer-Policy", "same-origin"),
        ("X-Content-Type-Options", "nosniff"),
    ]

    private static func page(status: Int, title: String, text: String) -> LoopbackResponse {
        let page = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark"><title>\(title)</title><style>\(style)</style></head>
            <body><main><h1>\(title)</h1><p>\(text)</p></main></body></html>

            """
        return LoopbackResponse(status: status, headers: headers, body: Data(page.utf8))
    }
}
