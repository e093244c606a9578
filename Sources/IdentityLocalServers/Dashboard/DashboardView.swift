import Foundation
import IdentityKit

struct DashboardView: Sendable {
    static let site = "Dashboard"

    let sites: [DashboardSite]
    let token: Secret
    /// Seconds between reloads of the page; `nil` for none.
    let refreshInterval: Int?
    var tab = DashboardTab.activity
    /// A text that table rows must contain to be shown; empty for all rows.
    var filter = ""
    var done: DashboardDone?

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
            "Servers",
            columns: ["Server", "Responses", "Address", "People", "Flows now", "Tokens that work", "Messages"],
            rows: rows)
        let messages = reports.flatMap { site, report in report.messages.map { message(site.name, $0) } }
        return page(
            "Local servers", at: "/", "/",
            [
                Self.live("servers", servers.html), "<h2>Outbox</h2>",
                outbox(["Server"] + Self.messageColumns, messages),
            ])
    }

    private func outbox(_ columns: [String], _ rows: [[HTML]]) -> HTML {
        Self.live(
            "outbox",
            DashboardTable(
                "What would have been sent, newest first", columns: columns, rows: rows, filter: filter,
                whenEmpty: "Nothing was sent yet."
            ).html)
    }

    /// The page of the selected tab of a server.
    func page(of site: DashboardSite) -> HTMLPage {
        let tabs = DashboardTab.allCases.filter { $0.isShown(at: site) }.map { part in
            Self.link(part.rawValue.capitalized, to: part.address(at: site), isHere: part == tab)
        }
        let said = done.map { "<p class=\"notice\" role=\"status\">\($0.text(in: tab))</p>\n" as HTML }
        let start: HTML = """
            <p class="lead"><code>\(site.url)</code></p>
            <nav class="tabs" aria-label="Parts of this server">
            \(tabs)
            </nav>
            \(said)
            """
        let more = filter.isEmpty ? [] : [("q", filter)]
        return page(site.name, at: "/\(site.key)", tab.address(at: site, more), [start] + content(of: site))
    }

    private func content(of site: DashboardSite) -> [HTML] {
        switch tab {
        case .activity:
            let report = site.report()
            return [
                filterForm(of: site), "<h2>Requests</h2>", Self.live("requests", requests(of: site)),
                "<h2>Token events</h2>", Self.live("events", events(report)), "<h2>Outbox</h2>",
                outbox(Self.messageColumns, report.messages.map { Array(message(site.name, $0).dropFirst()) }),
                "<h2>Flows</h2>", Self.live("flows", flows(report)),
                "<h2>Tokens</h2>", Self.live("tokens", tokens(report, of: site)),
            ]
        case .people:
            return [filterForm(of: site), Self.live("people", people(site.report(), of: site)), adding("person", site)]
        case .clients: return [filterForm(of: site), Self.live("clients", clients(of: site)), adding("client", site)]
        case .faults: return [switches(of: site)]
        case .configuration: return [configuration(of: site)]
        }
    }

    private func adding(_ key: String, _ site: DashboardSite) -> HTML {
        "<p><a class=\"button secondary\" href=\"/\(site.key)/\(key)\">Add a \(key)</a></p>"
    }

    private func filterForm(of site: DashboardSite) -> HTML {
        let all: HTML? = filter.isEmpty ? nil : "<a href=\"\(tab.address(at: site))\">Show all</a>"
        return """
            <form class="row filter" method="get" action="/\(site.key)" role="search">
            <input type="hidden" name="tab" value="\(tab.rawValue)">
            <label for="filter">Rows that contain</label>
            <input id="filter" type="search" name="q" value="\(filter)">
            <button class="secondary">Filter</button>\(all)
            </form>
            """
    }

    /// - Parameters:
    ///   - path: the path of the server's page, or `/` for the overview. The navigation marks the link with this path.
    ///   - address: the address of the current page, for the links that load it again.
    private func page(_ title: String, at path: String, _ address: String, _ content: [HTML]) -> HTMLPage {
        HTMLPage(title, site: Self.site, content: [navigation(at: path, address)] + content) {
            $0.isWide = true
            $0.refreshInterval = refreshInterval
            $0.runsDashboardScript = true
        }
    }

    /// An element of the page that the script updates.
    private static func live(_ id: String, _ part: HTML) -> HTML {
        "<div id=\"live-\(id)\" data-live>\n\(part)\n</div>"
    }

    private func navigation(at path: String, _ address: String) -> HTML {
        let pages = [("/", "All servers")] + sites.map { ("/\($0.key)", $0.name) }
        let refresh =
            refreshInterval == nil
            ? Self.link("Refresh every 5 seconds", to: address.appendingQuery("refresh=5"))
            : Self.link("Stop refreshing", to: address)
        return """
            <nav class="row" aria-label="Pages">
            \(pages.map { Self.link($0.1, to: $0.0, isHere: $0.0 == path) })
            </nav>
            <div class="quiet" id="live"><p>\(Self.link("Refresh", to: address)) · \(refresh)</p></div>
            """
    }

    private static func link(_ name: String, to address: String, isHere: Bool = false) -> HTML {
        "<a href=\"\(address)\"\(isHere ? " aria-current=\"page\"" as HTML : "")>\(name)</a>"
    }

    /// A section with the command-line tool's configuration for this server, to copy or to save.
    private func configuration(of site: DashboardSite) -> HTML {
        guard let text = site.configuration() else { return "" }
        return """
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
                    off: "Respond normally"),
            ],
            ["Signing key", "earlier keys still verify", button("Rotate the key", .rotate, of: site)],
        ]
        if case .families = site.revocation {
            rows.append([
                "Token families", "each sign-in is one",
                button("Revoke all", .revoke, of: site, fields: [("family", "")]),
            ])
        }
        let table = DashboardTable(
            "Faults to test an application with", columns: ["Fault", "State", "Change"], rows: rows)
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
        return wrong.isEmpty ? "normal" : wrong.joined(separator: ", ")
    }
}
