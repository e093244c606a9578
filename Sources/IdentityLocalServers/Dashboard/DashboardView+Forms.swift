import IdentityKit

/// The forms that add and change people and clients.
extension DashboardView {
    /// The page that asks whether to remove a record.
    func removal(of records: DashboardRecords, id: String, at site: DashboardSite, fields: [PageField]) -> HTMLPage {
        let name = fields.first { $0.name == "name" && !$0.value.isEmpty }?.value ?? id
        let action = "/\(site.key)/\(records.key)"
        let form = PageForm(
            to: action, hidden: [("token", token.reveal()), ("id", id), ("action", "remove")],
            buttons: [PageButton("Remove")])
        let back = action.appendingQuery(LocalRequest.encodeForm([("id", id)]))
        return HTMLPage(
            "Remove \(name)?", site: "\(Self.site) · \(site.name)", lead: "This cannot be undone.",
            content: [form.html, "<p><a href=\"\(back)\">Keep this \(records.key)</a></p>"])
    }

    /// The page with the form of a record, or of a new record if `id` is `nil`.
    /// - Parameters:
    ///   - typed: the values of a refused form, to be shown again; `nil` for none.
    ///   - defect: the reason of the refusal; `nil` for none.
    func form(
        of records: DashboardRecords, id: String?, at site: DashboardSite, fields: [PageField],
        typed: DashboardRecords.Values? = nil, defect: DashboardRecords.Defect? = nil
    ) -> HTMLPage {
        let fields = fields.map { field in
            var field = field
            if let typed {
                if case .box = field.kind {
                    field.kind = .box(isTicked: typed[field.name] != nil)
                } else {
                    field.value = typed[field.name] ?? ""
                }
            }
            if field.name == defect?.field {
                field.isInvalid = true
                field.hint = defect?.text
            }
            return field
        }
        let hidden = [("token", token.reveal())] + (id.map { [("id", $0)] } ?? [])
        let action = "/\(site.key)/\(records.key)"
        let said = done.map { "<p class=\"notice\" role=\"status\">\($0.text(in: tab))</p>" as HTML }
        var content: [HTML] = [
            said ?? "",
            PageForm(to: action, hidden: hidden, fields: fields, buttons: [PageButton("Save")]).html,
        ]
        if let id {
            let removal = action.appendingQuery(LocalRequest.encodeForm([("id", id), ("remove", "1")]))
            content.append("<p><a class=\"button secondary\" href=\"\(removal)\">Remove this \(records.key)</a></p>")
        }
        let back = DashboardTab(of: records).address(at: site, record: id)
        content.append("<p><a href=\"\(back)\">Back without saving</a></p>")
        if let id, records.showsTokens {
            content.append("<h2>Tokens</h2>\n\(tokens(site.report(), of: site, person: id))")
        }
        return HTMLPage(
            id == nil ? "Add a \(records.key)" : "Edit the \(records.key)", site: "\(Self.site) · \(site.name)",
            alert: defect?.text, content: content
        ) { $0.isWide = id != nil && records.showsTokens }
    }
}
