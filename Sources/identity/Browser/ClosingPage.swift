#if Tools
import Foundation
import IdentityTestKit

/// What the browser shows when it has come back.
enum ClosingPage {
    /// The sign-in goes on in the terminal.
    static let done = page(
        status: 200, title: "You can close this page", text: "The sign-in goes on in your terminal.")

    /// Nobody waits for this address.
    static let nothingHere = page(
        status: 404, title: "Nothing to see here", text: "No sign-in waits for this address.")

    private static func page(status: Int, title: String, text: String) -> LocalResponse {
        let html = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <style>
            :root { color-scheme: light dark; }
            body { font: 1.1rem/1.5 system-ui, sans-serif; display: grid; place-content: center; min-height: 90vh;
              margin: 0; padding: 1rem; text-align: center; }
            </style>
            </head>
            <body><main><h1>\(title)</h1><p>\(text)</p></main></body>
            </html>
            """
        return LocalResponse(
            status: status,
            headers: [
                ("Content-Type", "text/html; charset=utf-8"),
                ("Cache-Control", "no-store"),
                ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
                ("Referrer-Policy", "no-referrer"),
                ("X-Frame-Options", "DENY"),
                ("X-Content-Type-Options", "nosniff"),
            ], body: Data(html.utf8))
    }
}
#endif
