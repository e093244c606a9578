import Foundation
import IdentityKit

/// The tables about what happens at a server.
extension DashboardView {
    func people(_ report: LocalServerReport) -> HTML {
        DashboardTable(
            "Who can sign in", columns: ["Person", "Signs in as", "Good tokens", "Subject", "Remark"],
            rows: report.people.lazy.map { person in
                [
                    person.profile.html, "<code>\(person.name)</code>",
                    HTML(report.tokens.count { $0.personID == person.id && $0.state == .good }),
                    "<code>\(person.id)</code>", HTML(person.remark ?? ""),
                ]
            }, whenEmpty: "No user can sign in yet."
        ).html
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
            }, whenEmpty: "No flow was started yet."
        ).html
    }

    func events(_ report: LocalServerReport) -> HTML {
        DashboardTable(
            "What happened to tokens since the start, newest first; times are UTC",
            columns: ["Time", "Event", "Person", "Client", "Reason"],
            rows: report.tokenEvents.lazy.map { event in
                [
                    DashboardCell.timeOfDay(event.date), DashboardCell.event(event.kind), HTML(event.person ?? ""),
                    HTML(event.client ?? ""), DashboardCell.reason(event.reason),
                ]
            }, whenEmpty: "Nothing has happened to a token yet."
        ).html
    }

    /// - Parameter person: the subject identifier of whose tokens they are; `nil` for everybody's.
    func tokens(_ report: LocalServerReport, of site: DashboardSite, person: String? = nil) -> HTML {
        let whose = person == nil ? ["Person"] : []
        return DashboardTable(
            "Issued, newest first, without their values; times are UTC",
            columns: ["Kind", "State", "Client"] + whose + ["Issued", "Expires", "Family", "Change"],
            rows: report.tokens.lazy.filter { person == nil || $0.personID == person }.map { token in
                let start: [HTML] = [
                    HTML(token.kind.rawValue), DashboardCell.state(token.state), HTML(token.client ?? ""),
                ]
                let end: [HTML] = [
                    DashboardCell.date(token.issuedAt), DashboardCell.date(token.expiresAt),
                    token.family.map { "<code>\($0)</code>" } ?? "", revocation(of: token, at: site),
                ]
                return start + (person == nil ? [HTML(token.person)] : []) + end
            }, whenEmpty: "No token was issued yet."
        ).html
    }

    private func revocation(of token: LocalServerReport.Token, at site: DashboardSite) -> HTML {
        guard case .families = site.revocation, let family = token.family, token.state == .good else { return "" }
        return button("Revoke family", .revoke, of: site, fields: [("family", family)])
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
            "Handled, newest first; times are UTC",
            columns: ["Time", "Status", "Method", "Path", "Took", "Reason"],
            rows: site.http.log.reversed().lazy.map { entry in
                [
                    DashboardCell.timeOfDay(entry.date), DashboardCell.status(entry.status), HTML(entry.method),
                    "<code>\(entry.path)</code>", DashboardCell.duration(entry.duration),
                    DashboardCell.reason(entry.reason),
                ]
            }, whenEmpty: "No request was handled yet."
        ).html
    }
}
