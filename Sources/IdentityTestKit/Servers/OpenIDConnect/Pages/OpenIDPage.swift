#if Tools
import Foundation

/// The server's pages: plain forms that work without a script.
enum OpenIDPage {
    /// Asks for name and password.
    static func login(
        action: String, key: String, client: String, username: String?, problem: String?
    ) -> String {
        page(
            "Sign in",
            """
            <p>Sign in to go on to <strong>\(escaped(client))</strong>.</p>
            \(problem.map { "<p role=\"alert\">\(escaped($0))</p>" } ?? "")
            \(form(action, [("request", key)], """
                <p><label>User name <input name="username" value="\(escaped(username ?? ""))" \
                autocomplete="username" required></label></p>
                <p><label>Password <input name="password" type="password" \
                autocomplete="current-password" required></label></p>
                <p><button>Sign in</button></p>
                """))
            """)
    }

    /// Asks whether a client may have what it asks for.
    static func consent(action: String, key: String, client: String, scopes: [String]) -> String {
        let boxes = scopes.map { scope in
            "<p><label><input type=\"checkbox\" name=\"scope\" value=\"\(escaped(scope))\" checked> "
                + "\(escaped(scope))</label></p>"
        }
        return page(
            "Allow access",
            """
            <p><strong>\(escaped(client))</strong> asks for:</p>
            \(form(action, [("request", key)], boxes.joined(separator: "\n") + decision))
            """)
    }

    /// Asks for a device's code, a name, a password and a decision.
    static func device(action: String, userCode: String, problem: String?) -> String {
        page(
            "Connect a device",
            """
            \(problem.map { "<p role=\"alert\">\(escaped($0))</p>" } ?? "")
            \(form(action, [], """
                <p><label>Code on the device <input name="user_code" value="\(escaped(userCode))" required></label></p>
                <p><label>User name <input name="username" autocomplete="username" required></label></p>
                <p><label>Password <input name="password" type="password" \
                autocomplete="current-password" required></label></p>
                """ + decision))
            """)
    }

    /// Sends parameters to a client with `response_mode` `form_post`.
    static func autoForm(action: String, _ parameters: [(String, String)]) -> String {
        page("Signed in", form(action, parameters, "<p><button>Continue</button></p>"))
    }

    /// Says something.
    static func message(_ text: String) -> String {
        page("OpenID Connect", "<p>\(escaped(text))</p>")
    }

    private static let decision = """
        <p><button name="decision" value="allow">Allow</button>
        <button name="decision" value="deny">Deny</button></p>
        """

    private static func form(_ action: String, _ hidden: [(String, String)], _ content: String) -> String {
        let fields = hidden.map { name, value in
            "<input type=\"hidden\" name=\"\(escaped(name))\" value=\"\(escaped(value))\">"
        }
        return "<form method=\"post\" action=\"\(escaped(action))\">\n"
            + fields.joined(separator: "\n") + "\n\(content)\n</form>"
    }

    private static func page(_ title: String, _ content: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head><meta charset="utf-8"><title>\(escaped(title))</title></head>
        <body><main><h1>\(escaped(title))</h1>
        \(content)
        </main></body>
        </html>

        """
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
    }
}
#endif
