package struct PageForm: Sendable {
    /// The target of the form: an address of this server, or one that ``HTMLPage/formTargets`` names.
    package var action: String
    package typealias Hidden = (name: String, value: String)

    package var hidden: [Hidden]
    package var fields: [PageField]
    /// Buttons that submit the form. The return key presses the first one.
    package var buttons: [PageButton]

    /// Whether a field of the form has the focus when the page opens. At most one form of a page may take the focus.
    package var takesFocus = true

    package init(
        to action: String, hidden: [(name: String, value: String)] = [], fields: [PageField] = [],
        buttons: [PageButton]
    ) {
        (self.action, self.hidden, self.fields, self.buttons) = (action, hidden, fields, buttons)
    }

    /// The form in HTML. If ``takesFocus`` is true, the first invalid field gets the focus, or else the first empty text
    /// field.
    package var html: HTML {
        let first = fields.firstIndex { $0.isInvalid } ?? fields.firstIndex { $0.takesText && $0.value.isEmpty }
        return """
            <form method="post" action="\(action)">
            \(hidden.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" as HTML })
            \(fields.indices.map { fields[$0].html(hasFocus: takesFocus && $0 == first) })
            <div class="buttons">
            \(buttons.map(\.html))
            </div>
            </form>
            """
    }
}

package struct PageButton: Sendable {
    package enum Rank: String, Sendable {
        case primary, secondary, plain
    }

    package var label: String
    package var name: String?
    package var value: String
    package var rank: Rank
    /// Whether the button works even if required fields are empty, as a button for cancelling must.
    package var skipsChecks: Bool

    package init(
        _ label: String, name: String? = nil, value: String = "", rank: Rank = .primary, skipsChecks: Bool = false
    ) {
        (self.label, self.name, self.value, self.rank, self.skipsChecks) = (label, name, value, rank, skipsChecks)
    }

    var html: HTML {
        let field = name.map { " name=\"\($0)\" value=\"\(value)\"" as HTML }
        return
            "<button class=\"\(rank.rawValue)\"\(field)\(skipsChecks ? " formnovalidate" as HTML : "")>\(label)</button>"
    }
}
