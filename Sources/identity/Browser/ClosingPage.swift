import LocalServers

/// What the browser shows when it has come back.
enum ClosingPage {
    /// The sign-in goes on in the terminal.
    static let done = page(
        status: 200, title: "You can close this page", text: "The sign-in goes on in your terminal.")

    /// The address is right, and what came with it is not the response that is waited for.
    static let unknownSignIn = page(
        status: 400, title: "This page belongs to no sign-in",
        text: """
            This request belongs to no sign-in that is under way, so it was ignored. If you are signing in, go on in the \
            page that was opened for that, or run the command again.
            """)

    /// Nobody waits for this address.
    static let nothingHere = page(
        status: 404, title: "Nothing to see here", text: "No sign-in waits for this address.")

    private static func page(status: Int, title: String, text: String) -> LocalResponse {
        HTMLPage(title, site: "identity", content: ["<p>\(text)</p>"]).response(status: status)
    }
}
