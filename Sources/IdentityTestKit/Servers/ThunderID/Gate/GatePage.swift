#if Tools
import Foundation
import IdentityKit

/// The page of one step of a flow: whatever the step asks, in the order in which its components describe it.
struct GatePage: Sendable {
    static let site = "ThunderID"

    private let visit: GateVisit
    private let step: FlowStep
    private let application: LocalThunderIDServer.Application?
    private let action: String
    private let texts: GateTexts
    private let warnsOfPlainAddress: Bool
    private var content = GateContent()

    /// - Parameters:
    ///   - action: where the forms go.
    ///   - typed: what somebody filled in before, to be shown again.
    ///   - warnsOfPlainAddress: whether the application is told over a connection that others can read.
    init(
        _ visit: GateVisit, _ step: FlowStep, application: LocalThunderIDServer.Application?, action: String,
        typed: [String: String] = [:], warnsOfPlainAddress: Bool = false
    ) {
        self.warnsOfPlainAddress = warnsOfPlainAddress
        self.visit = visit
        self.step = step
        self.application = application
        self.action = action
        texts = GateTexts(application: application)
        content = GateContent(step, texts, typed: typed)
    }

    /// The page with its forms.
    var page: HTMLPage {
        HTMLPage(
            content.title ?? "Sign in", site: Self.site, lead: lead, alert: alert, content: notes + paragraphs + forms)
    }

    /// The page when the flow is over and nobody waits for it.
    var lastPage: HTMLPage {
        let text: HTML = "<p>Go back to the application to go on there.</p>"
        return HTMLPage(content.title ?? "Done", site: Self.site, content: paragraphs + [text])
    }

    private var lead: HTML? {
        guard let application, visit.logoutID == nil else { return nil }
        return "for <strong>\(application.name)</strong>"
    }

    private var notes: [HTML] {
        guard warnsOfPlainAddress else { return [] }
        return ["<p class=\"quiet\">The application is told over a connection that is not encrypted.</p>"]
    }

    private var alert: String? {
        let complaints = step.view.fieldErrors.map { error in
            "\(content.label(of: error.identifier)): \(texts.complaint(error.message))"
        }
        if !complaints.isEmpty { return complaints.joined(separator: " ") }
        // Nobody had a session, and nobody expected one (contract 1.12).
        guard let error = step.error, error != .noSession else { return nil }
        return error.readableDescription
    }

    private var paragraphs: [HTML] {
        content.paragraphs.map { "<p>\($0)</p>" }
    }

    private var forms: [HTML] {
        if content.needsScript {
            let text: HTML = """
                <p>A passkey needs a script, and these pages work without one. Use the application's own sign-in, or another way
                to sign in.</p>
                """
            return [text] + links
        }
        if content.waitsForLink {
            return ["<p>Open the link in the message that was sent to you. You can close this page.</p>"]
        }
        let form = PageForm(to: action, hidden: hidden, fields: content.fields, buttons: buttons)
        return [form.html] + links
    }

    /// A step with nothing to choose goes on by itself.
    private var buttons: [PageButton] {
        guard !content.buttons.isEmpty else { return [PageButton("Continue")] }
        return content.buttons
    }

    private var links: [HTML] {
        content.links.map { link in
            let form = PageForm(
                to: action, hidden: hidden + [("link", "1")],
                buttons: [PageButton(link.label, name: "action", value: link.action, rank: .plain)])
            let prefix: HTML? = link.prefix.map { "<p>\($0)</p>" }
            return "<div class=\"aside\">\(prefix)\(form.html)</div>"
        }
    }

    private var hidden: [(name: String, value: String)] {
        [("executionId", visit.executionID), ("challengeToken", step.challengeToken ?? "")]
    }
}
#endif
