import Foundation

extension LocalRequest {
    /// Whether a person will read the response: the method is `GET` or `HEAD`, and `Accept` contains `text/html`, for which
    /// only browsers ask.
    var wantsPage: Bool {
        ["GET", "HEAD"].contains(method) && header("Accept")?.lowercased().contains("text/html") == true
    }

    /// Whether the browser runs on this machine: `Host` names 127.0.0.1 or `localhost`. For browsers on other machines,
    /// pages do not list the people, and nobody can sign in without a password.
    var isFromThisMachine: Bool {
        ["127.0.0.1", "localhost"].contains(header("Host").flatMap { URL(string: "http://\($0)")?.host })
    }

    /// The identifier of the person whose button was pressed to sign in without a password; `nil` if no such button was
    /// pressed, or for a browser on another machine.
    var chosenPerson: String? { isFromThisMachine ? formValue(HTMLPage.chosenPerson) : nil }
}

/// A backend whose server has an HTML page at its own address.
protocol ServerBackend: LocalServerBackend {
    /// The name of the server on its pages.
    var site: String { get }
    /// The path of the document that describes the server to programs.
    var discoveryPath: String { get }
    /// The clients that the server's pages list; `nil` if the server has no concept of clients, like InsForge.
    var shownClients: [any EditableClient]? { get }
}

extension ServerBackend {
    /// The page at the server's own address, if a browser asks for it; `nil` for any other request.
    func frontPage(for request: LocalRequest) -> LocalResponse? {
        let path = URLComponents(string: publicAddress)?.path ?? ""
        guard request.wantsPage, ["/", path, path + "/"].contains(request.path) else { return nil }
        let people = DashboardTable(
            "Who can sign in", columns: ["Person", "Signs in as", "Remark"],
            rows: report.people.map { [$0.profile.html, "<code>\($0.name)</code>", HTML($0.remark ?? "")] },
            whenEmpty: "Nobody can sign in yet.")
        var content: [HTML] = ["<p><a href=\"\(path + discoveryPath)\">What programs read about this server</a></p>"]
        if request.isFromThisMachine {
            let dashboard: HTML? = request.dashboard.map { "<p><a href=\"\($0)\">Dashboard of this server</a></p>" }
            content += [dashboard ?? "", clientList(for: request), "<h2>People</h2>", people.html]
            content += adding("person", for: request)
        }
        let lead: HTML = "A local server for development and tests, at <code>\(publicAddress)</code>."
        return HTMLPage("Local \(site) server", site: site, lead: lead, content: content) { $0.isWide = true }
            .response()
    }

    /// A page that reports an unknown client. For a browser on this machine, the page lists the known clients.
    /// - Parameter id: the client identifier in the request; `nil` if there is not exactly one.
    func unknownClientPage(_ id: String?, for request: LocalRequest) -> HTMLPage {
        let alert = id.map { "No client is registered as “\($0)”." } ?? "The address must name one client (client_id)."
        return HTMLPage(
            "This did not work", site: site, alert: alert,
            content: request.isFromThisMachine ? [clientList(for: request)] : []
        ) { $0.isWide = true }
    }

    /// The people that a sign-in page offers instead of a password. People with a remark, such as `inactive`, are left out.
    /// Empty for a browser on another machine.
    func choosablePeople(for request: LocalRequest) -> [LocalServerReport.Person] {
        request.isFromThisMachine ? report.people.filter { $0.remark == nil } : []
    }

    private func clientList(for request: LocalRequest) -> HTML {
        guard let clients = shownClients else { return "" }
        let table = DashboardTable(
            "What can sign people in", columns: ["Client ID", "Name", "Redirect URIs"],
            rows: clients.map { client in
                ["<code>\(client.clientID)</code>", HTML(client.name), DashboardCell.addresses(client.redirectURIs)]
            }, whenEmpty: "No client is registered yet.")
        return .joined(["<h2>Clients</h2>", table.html] + adding("client", for: request))
    }

    private func adding(_ kind: String, for request: LocalRequest) -> [HTML] {
        guard let dashboard = request.dashboard else {
            return [
                """
                <p class="quiet">To add a \(kind), name it where the server is started, or use the dashboard of \
                <code>identity serve</code>.</p>
                """
            ]
        }
        return ["<p><a class=\"button secondary\" href=\"\(dashboard)/\(kind)\">Add a \(kind)</a></p>"]
    }
}

extension HTMLPage {
    /// The name of the form field for the chosen person.
    static let chosenPerson = "person"

    /// Returns a form with a button for each of the server's people, and `form` for entering a password. Without people,
    /// returns only `form`.
    /// - Parameters:
    ///   - hidden: hidden fields that the form with the buttons sends, in addition to those of `form`.
    ///   - shared: the fields of `form` that the form with the buttons also shows.
    ///   - isTyping: whether the person has sent `form` before. If so, `form` is open and precedes the buttons. If not,
    ///     it is closed and follows them.
    static func choosing(
        among people: [LocalServerReport.Person], hidden: [PageForm.Hidden] = [], shared: [PageField] = [],
        form: PageForm, isTyping: Bool
    ) -> [HTML] {
        guard !people.isEmpty else { return [form.html] }
        let persons = people.map { person in
            let label = person.profile.label ?? person.name
            return PageButton(
                label == person.name ? label : "\(label) · \(person.name)", name: chosenPerson, value: person.id,
                rank: .secondary)
        }
        // While `form` is open, it shows the button for leaving the page. The form with the buttons for people then does not
        // repeat it.
        let wayOut = isTyping ? [] : form.buttons.filter { $0.rank == .plain && $0.skipsChecks }
        var choice = PageForm(to: form.action, hidden: form.hidden + hidden, fields: shared, buttons: persons + wayOut)
        for index in choice.fields.indices { choice.fields[index].scope = "choice" }
        choice.takesFocus = !isTyping
        var form = form
        form.takesFocus = isTyping
        let real: HTML = """
            <details\(isTyping ? " open" as HTML : "")><summary>Sign in with a password</summary>
            \(form.html)
            </details>
            """
        return isTyping ? [real, "<hr>", choice.html] : [choice.html, real]
    }
}
