import Foundation

/// A table of at most 50 rows, which scrolls sideways if the window is too narrow. A table with at least four columns then has
/// a hint above it.
struct DashboardTable: Sendable {
    let caption: String
    let columns: [String]
    /// The rows to show, at most `limit` of those that match the filter.
    let rows: [[HTML]]
    let count: Int
    let whenEmpty: String

    private static let limit = 50
    /// A table with at least this number of columns is too wide for a phone.
    private static let wideFrom = 4

    /// - Parameters:
    ///   - rows: all rows. Pass a lazy collection if there may be many, so that without a filter only the rows to show are
    ///     created.
    ///   - filter: a text that rows must contain to be shown, regardless of case; empty for all rows.
    init(
        _ caption: String, columns: [String], rows: some Collection<[HTML]>, filter: String = "", whenEmpty: String = ""
    ) {
        self.caption = caption
        self.columns = columns
        let wanted = HTML(filter.trimmingCharacters(in: .whitespaces)).text.lowercased()
        guard !wanted.isEmpty else {
            self.rows = Array(rows.prefix(Self.limit))
            count = rows.count
            self.whenEmpty = whenEmpty
            return
        }
        let found = rows.filter { row in row.contains { $0.isText(containing: wanted) } }
        self.rows = Array(found.prefix(Self.limit))
        count = found.count
        self.whenEmpty = rows.isEmpty ? whenEmpty : "Nothing here matches the filter."
    }

    var html: HTML {
        guard !rows.isEmpty else { return "<p class=\"quiet\">\(whenEmpty)</p>" }
        let rest: HTML? = count > rows.count ? "<p class=\"quiet\">And \(count - rows.count) more.</p>" : nil
        let hint: HTML? =
            columns.count >= Self.wideFrom
            ? "<p class=\"scroll-hint\" aria-hidden=\"true\">Scroll the table sideways for more columns →</p>\n" : nil
        return """
            \(hint)<div class="scroll" role="region" aria-label="\(caption)" tabindex="0"><table>
            <caption>\(caption)</caption>
            <thead><tr>\(columns.map { "<th scope=\"col\">\($0)</th>" as HTML })</tr></thead>
            <tbody>
            \(rows.map(Self.row))
            </tbody></table></div>
            \(rest)
            """
    }

    private static func row(_ cells: [HTML]) -> HTML { "<tr>\(cells.map { "<td>\($0)</td>" as HTML })</tr>" }
}

extension HTML {
    /// Whether the text between the tags contains `wanted`, regardless of case. `wanted` must be in lower case and escaped as
    /// HTML.
    fileprivate func isText(containing wanted: String) -> Bool {
        text.replacing(#/<[^>]*>/#, with: " ").lowercased().contains(wanted)
    }
}
