/// A tab of a server's page, with an address of its own.
enum DashboardTab: String, CaseIterable, Sendable {
    case activity, people, clients, faults, configuration

    /// Selects the tab with the table of `records`.
    init(of records: DashboardRecords) { self = records.key == "client" ? .clients : .people }

    /// The address of the tab on the page of a server.
    /// - Parameters:
    ///   - done: the change that was just made, for the page to report; `nil` for none.
    ///   - record: identifier of the record whose row the browser scrolls to; `nil` for none.
    ///   - more: further parameters of the query.
    func address(
        at site: DashboardSite, done: DashboardDone? = nil, record: String? = nil,
        _ more: [(name: String, value: String)] = []
    ) -> String {
        let query = [("tab", rawValue)] + (done.map { [("done", $0.rawValue)] } ?? []) + more
        let place = record.map { "#" + Self.place(of: $0) } ?? ""
        return "/\(site.key)?" + LocalRequest.encodeForm(query) + place
    }

    /// The anchor of a record's row in its table.
    static func place(of id: String) -> String { "row-" + LocalRequest.encodeForm([(id, "")]).dropLast() }

    func isShown(at site: DashboardSite) -> Bool {
        switch self {
        case .clients: site.records.contains { $0.key == "client" }
        case .configuration: site.configuration() != nil
        case .activity, .people, .faults: true
        }
    }
}

/// A change made on the dashboard, which the next page reports.
enum DashboardDone: String, Sendable {
    case saved, removed, slow, fail, rotate, revoke

    func text(in tab: DashboardTab) -> String {
        let record = tab == .clients ? "client" : "person"
        return switch self {
        case .saved: "The \(record) was saved."
        case .removed: "The \(record) was removed."
        case .slow, .fail: "The server responds as the table says from now on."
        case .rotate: "A new key signs from now on."
        case .revoke: "The tokens were revoked."
        }
    }
}
