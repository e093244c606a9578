import Foundation
import IdentityKit

struct DashboardView: Sendable {
    static let site = "Dashboard"

    let sites: [DashboardSite]
    let token: Secret
    /// After how many seconds the page is loaded again.
    let refreshInterval: Int?

    var overview: HTMLPage {
        let reports = sites.map { ($0, $0.report()) }
        let rows = reports.map { site, report -> [HTML] in
            [
                "<a href=\"/\(site.key)\">\(site.name)</a>", HTML(state(of: site.http.standingFaults)),
                "<code>\(site.url)</code>", HTML(report.people.count),
                HTML(report.flows.count { $0.state == .inProgress }),
                HTML(report.tokens.count { $0.state == .good }), HTML(report.messages.count),
            ]
        }
        let servers = DashboardTable(
            "Servers", columns: ["Server", "Responses", "Address", "People", "Flows now", "Good tokens", "Messages"],
            rows: rows)
        let messages = reports.flatMap { site, report in report.messages.map { message(site.name, $0) } }
        return page(
            "Local servers", at: "/",
            [
                Self.live("servers", servers.html), "<h2>Outbox</h2>",
                Self.live(
                    "outbox",
                    DashboardTable(
                        "What would have been sent, newest first", columns: ["Server"] + Self.messageColumns,
                        rows: messages, whenEmpty: "Nothing was sent yet."
                    ).html),
            ])
    }

    /// One server. What a developer looks at while a sign-in fails comes first.
    func page(of site: DashboardSite) -> HTMLPage {
        let report = site.report()
        return page(
            site.name, at: "/\(site.key)",
            [
                "<p class=\"lead\"><code>\(site.url)</code></p>",
                "<h2>Requests</h2>", Self.live("requests", requests(of: site)),
                "<h2>Token events</h2>", Self.live("events", events(report)),
                "<h2>Outbox</h2>",
                Self.live(
                    "outbox",
                    DashboardTable(
                        "What would have been sent, newest first", columns: Self.messageColumns,
                        rows: report.messages.map { Array(message(site.name, $0).dropFirst()) },
                        whenEmpty: "Nothing was sent yet."
                    ).html),
                "<h2>People</h2>", Self.live("people", people(report)),
            ] + site.records.map { list(of: $0, at: site) } + [
                "<h2>Flows</h2>", Self.live("flows", flows(report)),
                "<h2>Tokens</h2>", Self.live("tokens", tokens(report, of: site)),
                "<h2>Switches</h2>", switches(of: site), configuration(of: site),
            ])
    }

    private func page(_ title: String, at path: String, _ content: [HTML]) -> HTMLPage {
        HTMLPage(title, site: Self.site, content: [navigation(at: path)] + content) {
            $0.isWide = true
            $0.refreshInterval = refreshInterval
            $0.runsDashboardScript = true
        }
    }

    /// A part that the script keeps up to date.
    private static func live(_ id: String, _ part: HTML) -> HTML {
        "<div id=\"live-\(id)\" data-live>\n\(part)\n</div>"
    }

    private func navigation(at path: String) -> HTML {
        let pages = [("/", "All servers")] + sites.map { ("/\($0.key)", $0.name) }
        let links = pages.map { address, name -> HTML in
            address == path ? "<strong aria-current=\"page\">\(name)</strong>" : "<a href=\"\(address)\">\(name)</a>"
        }
        let refresh: HTML =
            refreshInterval == nil
            ? "<a href=\"\(path)?refresh=5\">Refresh every 5 seconds</a>"
            : "<a href=\"\(path)\">Stop refreshing</a>"
        return """
            <nav class="row" aria-label="Pages">
            \(links)
            </nav>
            <div class="quiet" id="live"><p><a href="\(path)">Refresh</a> · \(refresh)</p></div>
            """
    }

    /// The configuration of the command-line tool for this server: to copy, or to save as a file.
    private func configuration(of site: DashboardSite) -> HTML {
        guard let text = site.configuration() else { return "" }
        return """
            <h2>Configuration</h2>
            <p>Save it as <code>identity.json</code> and run <code>identity login --config identity.json</code>.</p>
            <div class="row actions" data-copy="configuration"><a class="button secondary" \
            href="/\(site.key)/identity.json" download="identity.json">Download</a></div>
            <pre id="configuration" class="scroll" role="region" aria-label="Configuration" tabindex="0">\(text)</pre>
            """
    }

    private func switches(of site: DashboardSite) -> HTML {
        let faults = site.http.standingFaults
        let delay = "\(DashboardSwitch.delay.components.seconds) seconds"
        var rows: [[HTML]] = [
            [
                "Slow responses", faults.delay == nil ? "off" : "on, \(delay) late",
                toggle(.slow, of: site, isOn: faults.delay != nil, on: "Respond \(delay) late", off: "Respond at once"),
            ],
            [
                "Errors", faults.failure.map { "on, every response is \($0)" } ?? "off",
                toggle(
                    .fail, of: site, isOn: faults.failure != nil, on: "Respond with \(DashboardSwitch.failure)",
                    off: "Respond as usual"),
            ],
            [
                "Signing key", "earlier keys still verify",
                button("Rotate the key", .rotate, of: site),
            ],
        ]
        if case .families = site.revocation {
            rows.append([
                "Token families", "each sign-in is one",
                button("Revoke all", .revoke, of: site, fields: [("family", "")]),
            ])
        }
        let table = DashboardTable(
            "What is wrong with this server", columns: ["Switch", "State", "Change"], rows: rows)
        guard case .none(let reason) = site.revocation else { return table.html }
        return "\(table.html)\n<p class=\"quiet\">\(reason)</p>"
    }

    private func toggle(
        _ control: DashboardSwitch, of site: DashboardSite, isOn: Bool, on: String, off: String
    ) -> HTML {
        button(isOn ? off : on, control, of: site, fields: [("state", isOn ? "off" : "on")])
    }

    func button(
        _ label: String, _ control: DashboardSwitch, of site: DashboardSite,
        fields: [(name: String, value: String)] = []
    ) -> HTML {
        PageForm(
            to: "/\(site.key)/\(control.rawValue)", hidden: [("token", token.reveal())] + fields,
            buttons: [PageButton(label, rank: .secondary)]
        ).html
    }

    private func state(of faults: StandingFaults) -> String {
        let wrong = [
            faults.delay.map { _ in "late" }, faults.failure.map { "\($0)" }, faults.omitsDate ? "without Date" : nil,
        ].compactMap { $0 }
        return wrong.isEmpty ? "as usual" : wrong.joined(separator: ", ")
    }
}
