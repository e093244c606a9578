import IdentityKit

/// The server's pages: plain forms that work without a script.
enum OpenIDPage {
    static let site = "OpenID Connect"

    static func login(
        action: String, key: String, client: LocalOpenIDConnectServer.Client, target: String, username: String?,
        problem: String?, people: [LocalServerReport.Person]
    ) -> HTMLPage {
        let form = PageForm(
            to: action, hidden: [("request", key)], fields: credentials(username ?? "", isRefused: problem != nil),
            buttons: [
                PageButton("Sign in", name: "action", value: "sign-in"),
                PageButton("Cancel", name: "action", value: "cancel", rank: .plain, skipsChecks: true),
            ])
        let lead: HTML = "to continue to <strong>\(client.name)</strong>"
        let content = HTMLPage.choosing(among: people, form: form, isTyping: username != nil)
        return HTMLPage("Sign in", site: site, lead: lead, alert: problem, content: content) {
            $0.formTargets = [target]
        }
    }

    /// A page that asks whether to grant the requested scopes to a client.
    static func consent(
        action: String, key: String, client: LocalOpenIDConnectServer.Client, target: String, user: AccountProfile,
        scopes: [String]
    ) -> HTMLPage {
        let boxes = scopes.map { scope in
            PageField("scope", Self.meaning(of: scope), .box(isTicked: true)) {
                $0.value = scope
                $0.hint = scope
                // Without `openid` the client would not learn who signed in, so the person cannot untick this box.
                $0.isDisabled = scope == "openid"
            }
        }
        let form = PageForm(to: action, hidden: [("request", key)], fields: boxes, buttons: decision)
        let lead: HTML = """
            <strong>\(client.name)</strong> asks for access to your account. Leave ticked what you allow.
            """
        let text: HTML = "<p>You are signed in as \(user.html)</p>"
        return HTMLPage("Allow access", site: site, lead: lead, content: [text, form.html]) {
            $0.formTargets = [target]
        }
    }

    /// A page that asks whether to sign out.
    static func signOut(
        action: String, hidden: [(name: String, value: String)], user: AccountProfile, target: String?
    ) -> HTMLPage {
        let answer = OpenIDCall.signOutAnswer
        let form = PageForm(
            to: action, hidden: hidden,
            buttons: [
                PageButton("Sign out", name: answer.name, value: answer.yes),
                PageButton("Stay signed in", name: answer.name, value: "no", rank: .secondary),
            ])
        let lead: HTML = "You are signed in as \(user.html)"
        return HTMLPage("Sign out?", site: site, lead: lead, content: [form.html]) {
            $0.formTargets = target.map { [$0] } ?? []
        }
    }

    /// A page that asks for a device's code, a name, a password and a decision (RFC 8628 section 3.3).
    /// - Parameter client: the name of the client whose device waits with this code; `nil` if there is none.
    static func device(
        action: String, userCode: String, client: String?, username: String, problem: DeviceProblem?,
        people: [LocalServerReport.Person]
    ) -> HTMLPage {
        let code = PageField("user_code", "Code on the device", .oneTimeCode) {
            $0.value = userCode
            $0.isInvalid = problem == .unknownCode
            $0.autocomplete = "off"
            $0.hint = "Continue only if your device shows this code right now."
        }
        let form = PageForm(
            to: action, fields: [code] + credentials(username, isRefused: problem == .wrongCredentials),
            buttons: decision)
        let lead: HTML =
            client.map { "<strong>\($0)</strong> waits to be connected to your account." }
            ?? "Enter the code that your device shows, and sign in."
        let content = HTMLPage.choosing(
            among: people, hidden: [("decision", "allow")], shared: [code], form: form,
            isTyping: !username.isEmpty || problem == .wrongCredentials)
        return HTMLPage("Connect a device", site: site, lead: lead, alert: problem?.text, content: content)
    }

    /// The reason why the server shows the device page again.
    enum DeviceProblem: Sendable {
        case wrongCredentials
        case unknownCode

        var text: String {
            switch self {
            case .wrongCredentials: OpenIDPage.wrongCredentials
            case .unknownCode: "No device waits with this code."
            }
        }
    }

    static let wrongCredentials = "The user name or the password is wrong."

    /// Returns a page whose form sends parameters to a client with `response_mode` `form_post`. The page has no script, so the
    /// person presses a button.
    static func autoForm(action: String, _ parameters: [(String, String)]) -> HTMLPage {
        let form = PageForm(
            to: action, hidden: parameters.map { (name: $0.0, value: $0.1) }, buttons: [PageButton("Continue")])
        return HTMLPage("Back to the application", site: site, content: [form.html]) { $0.formTargets = [action] }
    }

    /// A page that explains an error.
    static func failure(_ title: String, _ text: String) -> HTMLPage { HTMLPage(title, site: site, alert: text) }

    static func message(_ title: String, _ text: String) -> HTMLPage {
        HTMLPage(title, site: site, content: ["<p>\(text)</p>"])
    }

    private static let decision = [
        PageButton("Allow", name: "decision", value: "allow"),
        PageButton("Deny", name: "decision", value: "deny", rank: .secondary),
    ]

    private static func credentials(_ username: String, isRefused: Bool) -> [PageField] {
        PageField.credentials(PageField("username", "User name"), username, isRefused: isRefused)
    }

    /// Returns a text that explains a scope to people (OpenID Connect Core sections 5.4 and 11).
    private static func meaning(of scope: String) -> String {
        switch scope {
        case "openid": "Know who you are"
        case "profile": "See your name and profile"
        case "email": "See your e-mail address"
        case "offline_access": "Stay connected when you are away"
        default: "Use “\(scope)”"
        }
    }
}
