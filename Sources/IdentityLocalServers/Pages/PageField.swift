package struct PageField: Sendable {
    package enum Kind: Sendable {
        /// A single line; the type is an input type of HTML, such as `text`, `email` or `tel`.
        case line(type: String)
        case password
        /// A code that the person got elsewhere, for example in a message.
        case oneTimeCode
        case box(isTicked: Bool)
        case choice([(value: String, label: String)])
    }

    package var name: String
    package var label: String
    package var kind: Kind
    /// The content of the field, the value of the selected option, or the value that a ticked box sends. A password field
    /// ignores it.
    package var value = ""
    package var isRequired = true
    package var isDisabled = false
    package var isInvalid = false
    /// HTML's `autocomplete`, such as `username`.
    package var autocomplete: String?
    /// HTML's `inputmode`, such as `numeric`, which selects a phone's keyboard.
    package var inputMode: String?
    package var placeholder: String?
    package var hint: String?
    /// The prefix of the field's `id`. If two forms of a page have the same field, the prefixes must differ.
    package var scope = "field"

    package init(
        _ name: String, _ label: String, _ kind: Kind = .line(type: "text"),
        _ configure: (inout PageField) -> Void = { _ in }
    ) {
        (self.name, self.label, self.kind) = (name, label, kind)
        configure(&self)
    }

    /// The fields for signing in: `name`, filled with the text `typed`, and an empty password field. If the credentials were
    /// refused, both fields count as invalid.
    static func credentials(_ name: PageField, _ typed: String, isRefused: Bool) -> [PageField] {
        var name = name
        (name.value, name.autocomplete, name.isInvalid) = (typed, "username", isRefused)
        let password = PageField("password", "Password", .password) {
            ($0.autocomplete, $0.isInvalid) = ("current-password", isRefused)
        }
        return [name, password]
    }

    var takesText: Bool {
        switch kind {
        case .line, .password, .oneTimeCode: !isDisabled
        case .box, .choice: false
        }
    }

    func html(hasFocus: Bool) -> HTML {
        let common: HTML = "id=\"\(id)\" name=\"\(name)\"\(flags)\(descriptions)\(hasFocus ? " autofocus" as HTML : "")"
        return switch kind {
        case .line(let type):
            stacked("<input \(common) type=\"\(type)\" value=\"\(value)\"\(typing(isName: type == "text"))>")
        case .password: stacked("<input \(common) type=\"password\"\(typing(isName: false))>")
        case .oneTimeCode:
            stacked("<input \(common) type=\"text\" class=\"code\" value=\"\(value)\"\(typing(isName: true))>")
        case .box(let isTicked): box(isTicked, common)
        case .choice(let options): stacked(select(options, common))
        }
    }

    private func stacked(_ control: HTML) -> HTML {
        "<div class=\"field\"><label for=\"\(id)\">\(label)</label>\n\(control)\(hintLine)</div>"
    }

    private func box(_ isTicked: Bool, _ common: HTML) -> HTML {
        let state: HTML = isTicked ? " checked" : ""
        return """
            <div class="field box"><input \(common) type="checkbox" value="\(value)"\(state)>
            <label for="\(id)">\(label)</label>\(hintLine)</div>
            """
    }

    private func select(_ options: [(value: String, label: String)], _ common: HTML) -> HTML {
        let list = options.map { option in
            "<option value=\"\(option.value)\"\(option.value == value ? " selected" as HTML : "")>\(option.label)</option>"
                as HTML
        }
        return "<select \(common)>\n\(list)\n</select>"
    }

    /// The identifier of the field on the page. The identifier of a box contains the value, because several boxes can have the
    /// same name.
    private var id: String { if case .box = kind { "\(scope)-\(name)-\(value)" } else { "\(scope)-\(name)" } }

    private var flags: HTML {
        var flags: HTML = ""
        // For a box, `required` would mean that it must be ticked.
        if case .box = kind {} else if isRequired { flags = " required" }
        if isDisabled { flags = "\(flags) disabled" }
        if isInvalid { flags = "\(flags) aria-invalid=\"true\"" }
        return flags
    }

    private var descriptions: HTML? {
        var ids: [String] = []
        if isInvalid { ids.append(HTMLPage.alertID) }
        if hint != nil { ids.append("\(id)-hint") }
        return ids.isEmpty ? nil : " aria-describedby=\"\(ids.joined(separator: " "))\""
    }

    private func typing(isName: Bool) -> HTML {
        let complete = autocomplete.map { " autocomplete=\"\($0)\"" as HTML }
        let keyboard = inputMode.map { " inputmode=\"\($0)\"" as HTML }
        let example = placeholder.map { " placeholder=\"\($0)\"" as HTML }
        // Names and codes should be neither corrected nor capitalized.
        return
            "\(complete)\(keyboard)\(example)\(isName ? " autocapitalize=\"none\" spellcheck=\"false\"" as HTML : "")"
    }

    private var hintLine: HTML? { hint.map { "\n<p class=\"hint\" id=\"\(id)-hint\">\($0)</p>" } }
}
