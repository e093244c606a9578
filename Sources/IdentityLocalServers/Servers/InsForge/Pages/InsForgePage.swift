/// The server's pages: plain forms that work without a script.
enum InsForgePage {
    static let site = "InsForge"
    static let fakeSite = "InsForge · fake provider"

    /// The error page for a `redirect_uri` that is missing or not on this server. The fake provider redirects browsers only
    /// to this server.
    static let unknownRedirect = HTMLPage(
        "This did not work", site: fakeSite, alert: "The redirect_uri is missing or not this server's.")

    /// Returns a page with a form for e-mail address and password, and a button for each provider.
    /// - Parameter providers: the keys of the offered providers, such as `github`.
    static func signIn(
        _ visit: HostedVisit, providers: [String], email: String = "", problem: String? = nil,
        people: [LocalServerReport.Person]
    ) -> HTMLPage {
        let form = PageForm(
            to: HostedVisit.path, hidden: visit.hidden,
            fields: PageField.credentials(
                PageField("email", "E-mail address", .line(type: "email")), email, isRefused: problem != nil),
            buttons: [PageButton("Sign in", name: "method", value: "password")])
        var content = HTMLPage.choosing(among: people, form: form, isTyping: problem != nil)
        if !providers.isEmpty {
            let others = PageForm(
                to: HostedVisit.path, hidden: visit.hidden,
                buttons: providers.map {
                    PageButton("Continue with \(name(ofProvider: $0))", name: "provider", value: $0, rank: .secondary)
                })
            content += ["<hr>", others.html]
        }
        return HTMLPage("Sign in", site: site, alert: problem, content: content) { $0.formTargets = [visit.target] }
    }

    /// Returns the fake provider's page, which asks who signs in.
    /// - Parameter target: the app's redirect address, which the page's security policy must allow; `nil` if unknown.
    static func fakeProvider(
        _ request: FakeProviderRequest, accounts: [LocalInsForgeServer.ProviderIdentity], email: String,
        target: String?
    ) -> HTMLPage {
        let name = name(ofProvider: request.provider)
        let known = PageForm(
            to: FakeIdentityProvider.path, hidden: request.hidden,
            buttons: accounts.map {
                PageButton(
                    $0.name.isEmpty ? $0.email : "\($0.name) · \($0.email)", name: "account", value: $0.email,
                    rank: .secondary)
            })
        var other = PageForm(
            to: FakeIdentityProvider.path, hidden: request.hidden,
            fields: [
                PageField("email", "E-mail address", .line(type: "email")) {
                    $0.value = email
                    $0.autocomplete = "email"
                },
                PageField("name", "Name") {
                    $0.isRequired = false
                    $0.autocomplete = "name"
                },
            ],
            buttons: [
                PageButton("Continue as this person", name: "decision", value: "allow"),
                PageButton("Deny", name: "decision", value: "deny", rank: .plain, skipsChecks: true),
            ])
        other.takesFocus = false
        let lead: HTML = "This page stands in for \(name). Choose who signs in there."
        return HTMLPage(
            "Sign in with \(name)", site: fakeSite, lead: lead,
            content: [known.html, "<h2>Another person</h2>", other.html]
        ) { $0.formTargets = target.map { [$0] } ?? [] }
    }

    private static func name(ofProvider key: String) -> String {
        switch key {
        case "github": "GitHub"
        case "linkedin": "LinkedIn"
        case "tiktok": "TikTok"
        default: key.prefix(1).uppercased() + key.dropFirst()
        }
    }
}
