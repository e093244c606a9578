import Foundation
import IdentityKit

@testable import IdentityLocalServers

/// A person at a browser without scripts, who fills in one form at a time.
final class FormVisitor: Sendable {
    /// What the browser shows, or where it would leave the server.
    struct Page: Sendable {
        let url: URL
        let status: Int
        let html: String
        let head: HTTPURLResponse

        /// The forms to fill in; the one to choose a person in is ``choice``.
        var forms: [HTMLForm] { all.filter { !Self.isChoice($0) } }
        var choice: HTMLForm? { all.first(where: Self.isChoice) }
        var fields: [String] { (forms.first?.fields ?? []).filter { $0.type != "hidden" }.map(\.name) }
        var title: String { text(between: "<h1>", "</h1>") ?? "" }
        var alert: String? { text(between: "role=\"alert\">", "</p>") }
        func header(_ name: String) -> String? { head.value(forHTTPHeaderField: name) }

        /// The value of a field as the page shows it.
        func value(_ name: String) -> String? { forms.flatMap(\.fields).first { $0.name == name }?.value }

        private var all: [HTMLForm] { HTMLForm.forms(in: html) }

        private static func isChoice(_ form: HTMLForm) -> Bool {
            form.fields.contains { $0.name == HTMLPage.chosenPerson }
        }

        private func text(between start: String, _ end: String) -> String? {
            let pieces = html.components(separatedBy: start)
            return pieces.count > 1 ? pieces[1].components(separatedBy: end).first : nil
        }
    }

    private let server: URL
    private let browser = ScriptedLogin()

    init(_ server: URL) { self.server = server }

    func open(_ path: String) async throws -> Page {
        let url = path.hasPrefix("http") ? URL(string: path) : URL(string: server.absoluteString + path)
        return try await open(url ?? server)
    }

    func open(_ url: URL) async throws -> Page { try await load(URLRequest(url: url)) }

    /// Fills in a form, presses a button, and goes where that leads.
    /// - Parameter button: the value of the button; `nil` for the first one.
    func submit(
        _ page: Page, form index: Int = 0, _ values: [String: String] = [:], pressing button: String? = nil,
        ticking boxes: [String]? = nil, headers: [String: String] = [:]
    ) async throws -> Page {
        let form = page.forms[index]
        var fields = form.fields.filter { $0.type != "submit" }
        if let boxes { fields = fields.filter { $0.type != "checkbox" || boxes.contains($0.value) } }
        var sent = fields.map { (name: $0.name, value: values[$0.name] ?? $0.value) }
        let buttons = form.fields.filter { $0.type == "submit" }
        if let pressed = button.map({ value in buttons.first { $0.value == value } }) ?? buttons.first {
            sent.append((pressed.name, pressed.value))
        }
        // A choice is no field of a form as it is read here.
        for (name, value) in values where !sent.contains(where: { $0.name == name }) { sent.append((name, value)) }
        return try await post(form.action, sent, headers: headers)
    }

    /// Chooses a person where a page lists them.
    func choose(_ id: String, on page: Page, _ values: [String: String] = [:]) async throws -> Page {
        let fields = (page.choice?.fields ?? []).filter { $0.type != "submit" }
        let sent = fields.map { (name: $0.name, value: values[$0.name] ?? $0.value) }
        return try await post(page.choice?.action ?? "", sent + [(name: HTMLPage.chosenPerson, value: id)])
    }

    /// Sends a form without saying from which page.
    func post(
        _ path: String, _ fields: [(name: String, value: String)], headers: [String: String] = [:]
    ) async throws -> Page {
        let url = URL(string: path, relativeTo: server)?.absoluteURL ?? server
        return try await load(URLRequest("POST", url, headers: headers, form: fields.map { ($0.name, $0.value) }))
    }

    private func load(_ request: URLRequest) async throws -> Page {
        var request = request
        request.setValue("text/html,*/*;q=0.8", forHTTPHeaderField: "Accept")
        let (url, html, head) = try await browser.follow(request, at: server)
        return Page(url: url, status: head.statusCode, html: html ?? "", head: head)
    }
}
