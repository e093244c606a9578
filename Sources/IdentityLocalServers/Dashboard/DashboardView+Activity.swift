import Foundation
import IdentityKit

/// The tables of people, clients, flows, token events, tokens and requests at a server, and the cells of its messages.
extension DashboardView {
    func people(_ report: LocalServerReport, of site: DashboardSite) -> HTML {
        DashboardTable(
            "Who can sign in", columns: ["Person", "Signs in as", "Tokens that work", "Subject", "Remark", "Change"],
            rows: report.people.lazy.map { person in
                [
                    person.profile.html, "<code>\(person.name)</code>",
                    HTML(report.tokens.count { $0.personID == person.id && $0.state == .good }),
                    "<code>\(person.id)</code>", HTML(person.remark ?? ""),
                    edit("person", person.id, person.profile.label ?? person.name, at: site),
                ]
            }, filter: filter, whenEmpty: "No user can sign in yet."
        ).html
    }

    func clients(of site: DashboardSite) -> HTML {
        DashboardTable(
            "What can sign people in", columns: ["Client", "Redirect URIs", "May use", "Change"],
            rows: site.records.flatMap { $0.rows() }.map { $0.cells + [edit("client", $0.id, $0.name, at: site)] },
            filter: filter, whenEmpty: "No client is registered yet."
        ).html
    }

    private func edit(_ key: String, _ id: String, _ name: String, at site: DashboardSite) -> HTML {
        let query = LocalRequest.encodeForm([(name: "id", value: id)])
        return """
            <a id="\(DashboardTab.place(of: id))" href="/\(site.key)/\(key)?\(query)" aria-label="Edit \(name)">Edit</a>
            """
    }

    func flows(_ report: LocalServerReport) -> HTML {
        DashboardTable(
            "In progress and ended, newest first",
            columns: ["State", "Kind", "Client", "Person", "Detail", "Execution"],
            rows: report.flows.lazy.map { flow in
                [
                    DashboardCell.state(flow.state), HTML(flow.kind), HTML(flow.client ?? ""), HTML(flow.person ?? ""),
                    HTML(flow.detail ?? ""), "<code>\(flow.id)</code>",
                ]
            }, filter: filter, whenEmpty: "No flow was started yet."
        ).html
    }

    func events(_ report: LocalServerReport) -> HTML {
        DashboardTable(
            "What happened to tokens since the start, newest first",
            columns: ["Time", "Event", "Person", "Client", "Reason"],
            rows: report.tokenEvents.lazy.map { event in
                [
                    DashboardCell.timeOfDay(event.date), DashboardCell.event(event.kind), HTML(event.person ?? ""),
                    HTML(event.client ?? ""), DashboardCell.reason(event.reason),
                ]
            }, filter: filter, whenEmpty: "Nothing has happened to a token yet."
        ).html
    }

    /// - Parameter person: the subject identifier of the person whose tokens are listed; `nil` for the tokens of all people.
    func tokens(_ report: LocalServerReport, of site: DashboardSite, person: String? = nil) -> HTML {
        let whose = person == nil ? ["Person"] : []
        return DashboardTable(
            "Issued, newest first, without their values",
            columns: ["Kind", "State", "Client"] + whose + ["Issued", "Expires", "Family", "Change"],
            rows: report.tokens.lazy.filter { person == nil || $0.personID == person }.map { token in
                let start: [HTML] = [
                    HTML(token.kind.rawValue), DashboardCell.state(token.state), HTML(token.client ?? ""),
                ]
                let end: [HTML] = [
                    DashboardCell.date(token.issuedAt), DashboardCell.date(token.expiresAt),
                    token.family.map { "<code>\($0)</code>" } ?? "", revocation(of: token, at: site, person: person),
                ]
                return start + (person == nil ? [HTML(token.person)] : []) + end
            }, filter: person == nil ? filter : "", whenEmpty: "No token was issued yet."
        ).html
    }

    private func revocation(of token: LocalServerReport.Token, at site: DashboardSite, person: String?) -> HTML {
        guard case .families = site.revocation, let family = token.family, token.state == .good else { return "" }
        return button(
            "Revoke family", .revoke, of: site,
            fields: [("family", family), ("person", person ?? ""), ("tab", tab.rawValue)])
    }

    static var messageColumns: [String] { ["To", "For", "Code", "Link"] }

    func message(_ server: String, _ message: LocalServerReport.Message) -> [HTML] {
        [
            HTML(server), HTML(message.recipient), HTML(message.purpose),
            message.code.map { "<code>\($0)</code>" } ?? "", message.link.map(DashboardCell.link) ?? "",
        ]
    }

    func requests(of site: DashboardSite) -> HTML {
        DashboardTable(
            "Handled, newest first",
            columns: ["Time", "Status", "Method", "Path", "Took", "Reason"],
            rows: site.http.log.reversed().lazy.map { entry in
                [
                    DashboardCell.timeOfDay(entry.date), DashboardCell.status(entry.status), HTML(entry.method),
                    "<code class=\"path\">\(entry.path)</code>", DashboardCell.duration(entry.duration),
                    DashboardCell.reason(entry.reason),
                ]
            }, filter: filter, whenEmpty: "No request was handled yet."
        ).html
    }
}
