import Foundation
import IdentityKit

struct DashboardView: Sendable {
    static let site = "Dashboard"

    let sites: [DashboardSite]
    /// What every button carries.
    let token: Secret
    /// After how many seconds the page is loaded again.
    let refreshInterval: Int?

    /// All servers, and what they have sent.
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
                servers.html, "<h2>Outbox</h2>",
                DashboardTable(
                    "What would have been sent, newest first", columns: ["Server"] + Self.messageColumns,
                    rows: messages, whenEmpty: "Nothing was sent yet."
                ).html,
            ])
    }

    func page(of site: DashboardSite) -> HTMLPage {
        let report = site.report()
        return page(
            site.name, at: "/\(site.key)",
            [
                "<p class=\"lead\"><code>\(site.url)</code></p>",
                "<h2>Switches</h2>", switches(of: site),
                "<h2>People</h2>", people(report),
                "<h2>Flows</h2>", flows(report),
                "<h2>Tokens</h2>", tokens(report, of: site),
                "<h2>Outbox</h2>",
                DashboardTable(
                    "What would have been sent, newest first", columns: Self.messageColumns,
                    rows: report.messages.map { Array(message(site.name, $0).dropFirst()) },
                    whenEmpty: "Nothing was sent yet."
                ).html,
                "<h2>Requests</h2>", requests(of: site),
            ])
    }

    private func page(_ title: String, at path: String, _ content: [HTML]) -> HTMLPage {
        HTMLPage(title, site: Self.site, content: [navigation(at: path)] + content) {
            $0.isWide = true
            $0.refreshInterval = refreshInterval
        }
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
            <p class="quiet"><a href="\(path)">Refresh</a> · \(refresh)</p>
            """
    }

    // MARK: Switches

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

    private func button(
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

    // MARK: Activity

    private func people(_ report: LocalServerReport) -> HTML {
        DashboardTable(
            "Who can sign in", columns: ["Name", "E-mail", "Subject", "Remark"],
            rows: report.people.map { person in
                [HTML(person.name), HTML(person.email ?? ""), "<code>\(person.id)</code>", HTML(person.remark ?? "")]
            }, whenEmpty: "No user can sign in yet."
        ).html
    }

    private func flows(_ report: LocalServerReport) -> HTML {
        DashboardTable(
            "In progress and ended, newest first",
            columns: ["State", "Kind", "Client", "Person", "Detail", "Execution"],
            rows: report.flows.map { flow in
                [
                    HTML(flow.state.rawValue), HTML(flow.kind), HTML(flow.client ?? ""), HTML(flow.person ?? ""),
                    HTML(flow.detail ?? ""), "<code>\(flow.id)</code>",
                ]
            }, whenEmpty: "No flow was started yet."
        ).html
    }

    private func tokens(_ report: LocalServerReport, of site: DashboardSite) -> HTML {
        DashboardTable(
            "Issued, newest first, without their values; times are UTC",
            columns: ["Kind", "State", "Client", "Person", "Issued", "Expires", "Family", "Change"],
            rows: report.tokens.map { token in
                [
                    HTML(token.kind.rawValue), HTML(token.state.rawValue), HTML(token.client ?? ""),
                    HTML(token.person), time(token.issuedAt), time(token.expiresAt),
                    token.family.map { "<code>\($0)</code>" } ?? "", revocation(of: token, at: site),
                ]
            }, whenEmpty: "No token was issued yet."
        ).html
    }

    private func revocation(of token: LocalServerReport.Token, at site: DashboardSite) -> HTML {
        guard case .families = site.revocation, let family = token.family, token.state == .good else { return "" }
        return button("Revoke family", .revoke, of: site, fields: [("family", family)])
    }

    private static let messageColumns = ["To", "For", "Code", "Link"]

    private func message(_ server: String, _ message: LocalServerReport.Message) -> [HTML] {
        [
            HTML(server), HTML(message.recipient), HTML(message.purpose),
            message.code.map { "<code>\($0)</code>" } ?? "", message.link.map(Self.link) ?? "",
        ]
    }

    /// Only what a browser opens as a page or hands to an app; never a script.
    static func link(_ address: String) -> HTML {
        let scheme = URLComponents(string: address)?.scheme?.lowercased() ?? ""
        let isSafe = !scheme.isEmpty && !["javascript", "data", "vbscript"].contains(scheme)
        return isSafe ? "<a href=\"\(address)\" rel=\"noreferrer\">\(address)</a>" : "<code>\(address)</code>"
    }

    private func requests(of site: DashboardSite) -> HTML {
        DashboardTable(
            "Handled, newest first; 0 is a closed connection", columns: ["Status", "Method", "Path"],
            rows: site.http.log.reversed().map { entry in
                [HTML(entry.status), HTML(entry.method), "<code>\(entry.path)</code>"]
            }, whenEmpty: "No request was handled yet."
        ).html
    }

    private func time(_ date: Date) -> HTML {
        let text = date.formatted(.iso8601)
        return "<time datetime=\"\(text)\">\(text.dropLast().replacingOccurrences(of: "T", with: " "))</time>"
    }
}

/// A table, which scrolls by itself where the window is narrow.
struct DashboardTable: Sendable {
    let caption: String
    let columns: [String]
    let rows: [[HTML]]
    let whenEmpty: String

    /// How many rows are shown.
    private static let limit = 50

    init(_ caption: String, columns: [String], rows: [[HTML]], whenEmpty: String = "") {
        self.caption = caption
        self.columns = columns
        self.rows = rows
        self.whenEmpty = whenEmpty
    }

    var html: HTML {
        guard !rows.isEmpty else { return "<p class=\"quiet\">\(whenEmpty)</p>" }
        let rest: HTML? = rows.count > Self.limit ? "<p class=\"quiet\">And \(rows.count - Self.limit) more.</p>" : nil
        return """
            <div class="scroll" role="region" aria-label="\(caption)" tabindex="0"><table>
            <caption>\(caption)</caption>
            <thead><tr>\(columns.map { "<th scope=\"col\">\($0)</th>" as HTML })</tr></thead>
            <tbody>
            \(rows.prefix(Self.limit).map(Self.row))
            </tbody></table></div>
            \(rest)
            """
    }

    private static func row(_ cells: [HTML]) -> HTML {
        "<tr>\(cells.map { "<td>\($0)</td>" as HTML })</tr>"
    }
}
