import IdentityKit

/// The forms in which people and clients are added and changed.
extension DashboardView {
    func list(of records: DashboardRecords, at site: DashboardSite) -> HTML {
        let address = "/\(site.key)/\(records.key)"
        let links = records.list().map { record -> HTML in
            let query = LocalRequest.encodeForm([(name: "id", value: record.id)])
            return "<li><a href=\"\(address)?\(query)\">Edit \(record.label)</a></li>"
        }
        let list: HTML? = links.isEmpty ? nil : "<ul class=\"links\">\n\(links)\n</ul>\n"
        let heading: HTML? = records.heading.map { "<h2>\($0)</h2>\n" }
        return "\(heading)\(list)<p><a class=\"button secondary\" href=\"\(address)\">Add a \(records.key)</a></p>"
    }

    /// The form of one of them, or of a new one.
    /// - Parameters:
    ///   - typed: what stays in the form after it was refused.
    ///   - defect: why it was.
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
        var content: [HTML] = [
            PageForm(to: action, hidden: hidden, fields: fields, buttons: [PageButton("Save")]).html
        ]
        if id != nil {
            let form = PageForm(
                to: action, hidden: hidden + [("action", "remove")],
                buttons: [PageButton("Remove this \(records.key)", rank: .secondary)])
            content.append(form.html)
        }
        content.append("<p><a href=\"/\(site.key)\">Back without saving</a></p>")
        if let id, records.showsTokens {
            content.append("<h2>Tokens</h2>\n\(tokens(site.report(), of: site, person: id))")
        }
        return HTMLPage(
            id == nil ? "Add a \(records.key)" : "Edit the \(records.key)", site: "\(Self.site) · \(site.name)",
            alert: defect?.text, content: content
        ) { $0.isWide = id != nil && records.showsTokens }
    }
}
