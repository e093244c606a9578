import Foundation
import IdentityKit

extension SignInScreen {
    /// The rows as a page of HTML, each a child of one grid, for the tests in a browser. Secrets are replaced.
    ///
    /// Pages show wording, order and state. Their look is nobody's: views draw the same rows in the system's.
    package func page(_ texts: ScreenTexts, at now: Date, titled title: String) -> String {
        let rows = rows(texts, at: now).enumerated().map { $1.html(id: "row-\($0)", hasFocus: $1.identifier == focus) }
        return """
            <!doctype html>
            <html lang="\(texts.language)" dir="\(texts.isRightToLeft ? "rtl" : "ltr")">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(title.escaped)</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <main>
            \(rows.joined(separator: "\n"))
            </main>
            </body>
            </html>

            """
    }

    /// Sizes follow the size of the text, and words break where there is no room for them.
    private static let style = """
        :root { color-scheme: light dark; --ground: #fff; --text: #1b1b1f; --line: #74747c; --accent: #0b57d0;
          --on-accent: #fff; --problem: #b3261e; }
        @media (prefers-color-scheme: dark) {
          :root { --ground: #1b1b1f; --text: #e4e4ea; --line: #90909a; --accent: #a8c7fa; --on-accent: #062e6f;
            --problem: #f2b8b5; } }
        * { box-sizing: border-box; margin: 0; }
        body { background: var(--ground); color: var(--text); font: 1rem/1.4 system-ui, sans-serif; }
        main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; max-width: 24rem; margin: 0 auto;
          padding: 16px; overflow-wrap: anywhere; hyphens: auto; }
        h1 { font-size: 1.4rem; line-height: 1.2; }
        label { display: block; margin-bottom: 0.25rem; }
        input, select, button, a, .switch { font: inherit; width: 100%; min-height: 2.75rem; }
        input, select { padding: 0.25rem 0.75rem; color: inherit; background: none; border: 1px solid var(--line);
          border-radius: 0.5rem; }
        ::placeholder { color: var(--line); opacity: 1; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        [aria-invalid] { border: 2px solid var(--problem); }
        [type=checkbox] { width: 1.5rem; min-height: 1.5rem; vertical-align: middle; }
        button, a { display: block; padding: 0.5rem 0.75rem; border-radius: 0.5rem; text-align: center;
          overflow-wrap: inherit; }
        button { border: 1px solid var(--line); background: none; color: inherit; }
        button small { display: block; }
        a, button.quiet { border-color: transparent; color: var(--accent); }
        button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
        button:disabled { opacity: 0.5; }
        .problem { color: var(--problem); }
        input ~ .problem, select ~ .problem { margin-top: 0.25rem; }
        .code { font-size: 1.4rem; letter-spacing: 0.1em; text-align: center; }
        svg { width: 160px; background: #fff; fill: #000; }
        .picture { min-height: 6rem; border: 1px dashed var(--line); }
        """
}

extension SignInRow {
    /// The identifier of a field; `nil` for another row.
    fileprivate var identifier: String? { if case .field(let field, _, _, _) = self { field.identifier } else { nil } }

    fileprivate func html(id: String, hasFocus: Bool) -> String {
        switch self {
        case .title(let text): return "<h1>\(text.escaped)</h1>"
        case .text(let text): return "<p>\(text.escaped)</p>"
        case .problem(let text): return #"<p class="problem" role="alert">\#(text.escaped)</p>"#
        case .progress(let text): return #"<p role="status">\#(text.escaped)</p>"#
        case .picture(_, let description):
            let role = description.map { #"role="img" aria-label="\#($0.escaped)""# } ?? #"aria-hidden="true""#
            return #"<div class="picture" \#(role)></div>"#
        case .link(let text, let url): return #"<a href="\#(url.absoluteString.escaped)">\#(text.escaped)</a>"#
        case .copy(let text, let label):
            let heading = label.map { "<span>\($0.escaped)</span> " } ?? ""
            return #"<p>\#(heading)<code class="code">\#(text.masked)</code></p>"#
        case .code(let code):
            let picture = code.verificationURIComplete.flatMap { QRCode($0.absoluteString) }?.html ?? ""
            return #"<div class="code"><p dir="ltr">\#(code.userCode.escaped)</p>\#(picture)</div>"#
        case .button(let button):
            let host = button.host.map { #"<small dir="ltr">\#($0.escaped)</small>"# } ?? ""
            return
                #"<button type="button" class="\#(button.rank.rawValue)"\#(button.isEnabled ? "" : " disabled")>"#
                + "\(button.label.escaped)\(host)</button>"
        case .field(let field, let label, let value, let problem):
            let error = problem.map { #"<p class="problem" id="\#(id)-problem">\#($0.escaped)</p>"# } ?? ""
            let state = [
                #"id="\#(id)" name="\#(field.identifier.escaped)""#, field.isRequired ? #"aria-required="true""# : nil,
                problem.map { _ in #"aria-invalid="true" aria-describedby="\#(id)-problem""# },
                hasFocus ? "autofocus" : nil,
            ].compactMap(\.self).joined(separator: " ")
            return "<div>\(field.control(state, id: id, label: label.escaped, value: value))\(error)</div>"
        }
    }
}

extension SignInPrompt.Field {
    /// The label and the input.
    fileprivate func control(_ state: String, id: String, label: String, value: Secret?) -> String {
        let text = kind.isSecret ? value?.masked : value?.reveal().escaped
        if kind == .boolean {
            let isOn = text == "true" ? " checked" : ""
            return #"<label class="switch"><input type="checkbox" \#(state)\#(isOn)> \#(label)</label>"#
        }
        let named = #"<label for="\#(id)">\#(label)</label>"#
        if !options.isEmpty {
            let choices = ([""] + options).map { option in
                "<option\(option.escaped == text ? " selected" : "")>\(option.escaped)</option>"
            }
            return "\(named)<select \(state)>\(choices.joined())</select>"
        }
        let (type, keyboard) = input
        let hint = placeholder.map { #" placeholder="\#($0.escaped)""# } ?? ""
        // A name or an address is written in its own direction, and an empty field begins where the language does.
        let content = text.map { #" value="\#($0)" dir="auto""# } ?? ""
        return named + #"<input type="\#(type)" inputmode="\#(keyboard)" autocomplete="\#(autocomplete)" "#
            + "\(state)\(content)\(hint)>"
    }

    /// The type of the input, and its keyboard.
    private var input: (type: String, keyboard: String) {
        switch kind {
        case .password: ("password", "text")
        case .email: ("email", "email")
        case .phone: ("tel", "tel")
        case .number: ("text", "decimal")
        case .text, .username, .oneTimeCode, .date, .boolean, .choice: ("text", "text")
        }
    }

    /// The role for password managers, as HTML names it.
    private var autocomplete: String {
        switch autofill {
        case .username: "username"
        case .emailAddress: "email"
        case .password: "current-password"
        case .newPassword: "new-password"
        case .oneTimeCode: "one-time-code"
        case .telephoneNumber: "tel"
        case nil: "off"
        }
    }
}

extension QRCode {
    /// The code as a picture, dark on light in every scheme. The address is written above it.
    fileprivate var html: String {
        let path = runs.map { "M\($0.columns.lowerBound) \($0.row)h\($0.columns.count)v1h-\($0.columns.count)z" }
        return #"<svg viewBox="0 0 \#(width) \#(width)" aria-hidden="true"><path d="\#(path.joined())"/></svg>"#
    }
}

extension Secret {
    /// As many dots as there are characters.
    fileprivate var masked: String { String(repeating: "•", count: reveal().count) }
}

extension String {
    /// The text, fit for an element and for an attribute in quotation marks.
    fileprivate var escaped: String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")].reduce(self) {
            $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
    }
}
