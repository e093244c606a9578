import Foundation
import IdentityKit

/// Pages for developers about local servers: users, clients, requests, flows, tokens, the messages that a real server would
/// send, and switches for faults. The pages work without their script, which updates tables and copies the configuration.
///
/// The pages show codes and links from messages. Therefore `Host` must be 127.0.0.1 or `localhost` with the dashboard's port,
/// so that a foreign host name that resolves to this machine does not work (DNS rebinding). Every form that changes something
/// carries a CSRF token, so that no other web page can send the form. Each start makes a new CSRF token.
package final class LocalDashboard: Sendable {
    private let http: LocalHTTPServer

    private init(http: LocalHTTPServer) { self.http = http }

    /// Starts the dashboard on 127.0.0.1. The pages of the servers then link to it.
    /// - Parameters:
    ///   - port: the port; 0 for any free port.
    ///   - sites: the servers to show.
    /// - Throws: ``PortInUseError``, `CancellationError`, or another error of binding the port.
    package static func start(port: Int = 0, about sites: [DashboardSite]) async throws -> LocalDashboard {
        let token = Secret(LocalIdentifiers.base64URL(byteCount: 24))
        let place = Locked<Int?>(nil)
        let http = try await LocalHTTPServer.start(port: port, maximumBodySize: 1 << 14) { request in
            guard let port = place.withLock({ $0 }) else { return .text("The server is starting.\n", status: 503) }
            return DashboardRouter(sites: sites, guarding: DashboardGuard(port: port, token: token)).response(
                to: request)
        }
        place.withLock { $0 = http.url.port }
        for site in sites { site.http.setDashboard("\(http.url.absoluteString)/\(site.key)") }
        return LocalDashboard(http: http)
    }

    package var url: URL { http.url }

    /// Stops listening and closes every connection.
    package func stop() async { await http.stop() }
}

/// Decides which requests may see the dashboard and use its buttons.
struct DashboardGuard: Sendable {
    let port: Int
    let token: Secret

    func isMeantForUs(_ request: LocalRequest) -> Bool { request.isMeantForLoopback(port: port) }

    /// Whether the form was sent by a page of this dashboard.
    func isOurs(_ request: LocalRequest, form: [LocalRequest.Parameter]) -> Bool {
        // Browsers send the origin of a form's page in `Origin`; other programs may leave out the header field.
        if let origin = request.header("Origin"), origin != "http://\(request.header("Host") ?? "")" { return false }
        if let site = request.header("Sec-Fetch-Site"), site != "same-origin" { return false }
        let sent = form.filter { $0.name == "token" }.map(\.value)
        // Comparing the hashes keeps the comparison's time independent of the token.
        return sent.count == 1 && sha256(Data(sent[0].utf8)) == sha256(Data(token.reveal().utf8))
    }
}

/// Routes a request: `GET` and `HEAD` return a page or the configuration, `POST` performs the action of a button or form.
struct DashboardRouter: Sendable {
    let sites: [DashboardSite]
    let guarding: DashboardGuard

    func response(to request: LocalRequest) -> LocalResponse {
        guard guarding.isMeantForUs(request) else { return Self.refusal("This address leads nowhere.", status: 421) }
        switch request.method {
        case "GET", "HEAD": return page(request)
        case "POST": return press(request)
        default:
            return Self.refusal("Only GET and POST are known here.", status: 405).with(header: "Allow", "GET, POST")
        }
    }

    private func page(_ request: LocalRequest) -> LocalResponse {
        let interval = request.queryValue("refresh").flatMap { Int($0) }.flatMap { (1...3600).contains($0) ? $0 : nil }
        let view = DashboardView(
            sites: sites, token: guarding.token, refreshInterval: interval,
            tab: request.queryValue("tab").flatMap(DashboardTab.init) ?? .activity,
            filter: request.queryValue("q") ?? "", done: request.queryValue("done").flatMap(DashboardDone.init))
        if request.path == "/" { return view.overview.response() }
        if let site = sites.first(where: { request.path == "/\($0.key)/identity.json" }),
            let text = site.configuration()
        {
            return Self.download(text)
        }
        if let (site, records) = records(at: request.path) {
            let id = request.queryValue("id")
            guard let fields = records.fields(id) else {
                return Self.refusal("There is no such \(records.key).", status: 404)
            }
            if let id, request.queryValue("remove") != nil {
                return view.removal(of: records, id: id, at: site, fields: fields).response()
            }
            return view.form(of: records, id: id, at: site, fields: fields).response()
        }
        guard let site = sites.first(where: { request.path == "/\($0.key)" }) else {
            return Self.refusal("There is no such page.", status: 404)
        }
        return view.page(of: site).response()
    }

    private static func download(_ text: String) -> LocalResponse {
        LocalResponse(
            status: 200,
            headers: [
                ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
                ("Content-Disposition", "attachment; filename=\"identity.json\""),
                ("X-Content-Type-Options", "nosniff"),
            ], body: Data(text.utf8))
    }

    private func press(_ request: LocalRequest) -> LocalResponse {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if let (site, records) = records(at: request.path) { return change(records, at: site, request) }
        guard parts.count == 3, let site = sites.first(where: { $0.key == parts[1] }),
            let control = DashboardSwitch(rawValue: parts[2])
        else { return Self.refusal("There is no such button.", status: 404) }
        guard let form = request.form, guarding.isOurs(request, form: form) else {
            return Self.refusal("Only a button of this dashboard does that. Load the page again.", status: 403)
        }
        do {
            guard try control.press(on: site, form: form) else {
                return Self.refusal("The form is not complete.", status: 400)
            }
        } catch {
            return Self.refusal("No new key could be made or kept.", status: 500)
        }
        let values = Dictionary(form.map { ($0.name, $0.value) }) { first, _ in first }
        let done = DashboardDone(rawValue: control.rawValue)
        if let person = values["person"].nonEmpty {
            let query = LocalRequest.encodeForm([("id", person), ("done", control.rawValue)])
            return .seeOther("/\(site.key)/person?\(query)")
        }
        let tab = values["tab"].flatMap(DashboardTab.init) ?? .faults
        return .seeOther(tab.address(at: site, done: done))
    }

    /// The server and the kind of record that the form at `path` edits, for example at `/oidc/person`; `nil` for any other
    /// path.
    private func records(at path: String) -> (DashboardSite, DashboardRecords)? {
        for site in sites {
            for records in site.records where path == "/\(site.key)/\(records.key)" { return (site, records) }
        }
        return nil
    }

    private func change(_ records: DashboardRecords, at site: DashboardSite, _ request: LocalRequest) -> LocalResponse {
        guard let form = request.form, guarding.isOurs(request, form: form) else {
            return Self.refusal("Only a form of this dashboard does that. Load the page again.", status: 403)
        }
        let values = Dictionary(form.map { ($0.name, $0.value) }) { first, _ in first }
        let id = values["id"].nonEmpty
        guard let fields = records.fields(id) else {
            return Self.refusal("There is no such \(records.key).", status: 404)
        }
        do {
            let tab = DashboardTab(of: records)
            if values["action"] == "remove" {
                guard let id else { return Self.refusal("The form is not complete.", status: 400) }
                try records.remove(id)
                return .seeOther(tab.address(at: site, done: .removed))
            } else if let defect = try records.save(id, values) {
                let view = DashboardView(sites: sites, token: guarding.token, refreshInterval: nil)
                return view.form(of: records, id: id, at: site, fields: fields, typed: values, defect: defect)
                    .response(status: 422)
            }
            return .seeOther(tab.address(at: site, done: .saved, record: id ?? values["clientID"].nonEmpty))
        } catch {
            return Self.refusal("The change could not be kept.", status: 500)
        }
    }

    private static func refusal(_ text: String, status: Int) -> LocalResponse {
        HTMLPage("That did not work", site: DashboardView.site, alert: text).response(status: status)
    }
}
