/// The page for one step of a flow: texts, a form with fields and buttons, and links, each in the order of the components.
struct GatePage: Sendable {
    static let site = "ThunderID"
    /// The name of the button that cancels the sign-in and returns to the application.
    static let leaving = "leave"

    private let visit: GateVisit
    private let step: FlowStep
    private let application: LocalThunderIDServer.Application?
    private let action: String
    private let texts: GateTexts
    private let warnsOfPlainAddress: Bool
    private let canLeave: Bool
    private let content: GateContent
    private let people: [LocalServerReport.Person]
    private let isTyping: Bool

    /// - Parameters:
    ///   - action: the address that receives the forms.
    ///   - typed: the values entered before, to be shown again.
    ///   - warnsOfPlainAddress: whether to warn that the application gets the response over an unencrypted connection.
    ///   - people: the people to choose from instead of entering a password; empty for no choice.
    ///   - canLeave: whether the person can cancel and return to the application.
    init(
        _ visit: GateVisit, _ step: FlowStep, application: LocalThunderIDServer.Application?, action: String,
        typed: [String: String] = [:], warnsOfPlainAddress: Bool = false, canLeave: Bool = false,
        people: [LocalServerReport.Person] = []
    ) {
        self.people = people
        isTyping = !typed.isEmpty
        (self.canLeave, self.warnsOfPlainAddress, self.visit) = (canLeave, warnsOfPlainAddress, visit)
        (self.step, self.application, self.action) = (step, application, action)
        texts = GateTexts(application: application)
        content = GateContent(step, texts, typed: typed)
    }

    var page: HTMLPage {
        HTMLPage(
            content.title ?? "Sign in", site: Self.site, lead: lead, alert: alert, content: notes + paragraphs + forms)
    }

    /// The last page of a flow that does not redirect to an application.
    var lastPage: HTMLPage {
        let text: HTML = "<p>Go back to the application to continue there.</p>"
        return HTMLPage(content.title ?? "Done", site: Self.site, content: paragraphs + [text])
    }

    private var lead: HTML? {
        guard let application, visit.logoutID == nil else { return nil }
        return "for <strong>\(application.name)</strong>"
    }

    private var notes: [HTML] {
        guard warnsOfPlainAddress else { return [] }
        return ["<p class=\"quiet\">The response reaches the application over a connection that is not encrypted.</p>"]
    }

    private var alert: String? {
        let complaints = step.view.fieldErrors.map { error in
            "\(content.label(of: error.identifier)): \(texts.complaint(error.message))"
        }
        if !complaints.isEmpty { return complaints.joined(separator: " ") }
        // The flow reports `noSession` for every browser without a session. The page hides that error, because the person
        // did nothing wrong.
        guard let error = step.error, error != .noSession else { return nil }
        return error.readableDescription
    }

    private var paragraphs: [HTML] { content.paragraphs.map { "<p>\($0)</p>" } }

    private var forms: [HTML] {
        if content.needsScript {
            let text: HTML = """
                <p>A passkey needs a script, and these pages work without one. Use the application's own sign-in, or another way
                to sign in.</p>
                """
            return [text] + links + wayBack
        }
        if content.waitsForLink {
            return ["<p>Open the link in the message that was sent to you. You can close this page.</p>"] + wayBack
        }
        let form = PageForm(to: action, hidden: hidden, fields: content.fields, buttons: buttons)
        guard content.asksForPassword, let action = buttons.first(where: { $0.rank == .primary })?.value else {
            return [form.html] + links
        }
        let choice = HTMLPage.choosing(
            among: people, hidden: [("action", action)], form: form, isTyping: isTyping || alert != nil)
        return choice + links
    }

    /// The buttons of the step, or "Continue" if there are none, and "Cancel" if the person can leave.
    private var buttons: [PageButton] {
        let onward = content.buttons.isEmpty ? [PageButton("Continue", name: "action")] : content.buttons
        return onward + (canLeave ? [Self.leave("Cancel")] : [])
    }

    private static func leave(_ label: String) -> PageButton {
        PageButton(label, name: leaving, value: "1", rank: .plain, skipsChecks: true)
    }

    private var wayBack: [HTML] { canLeave ? [Self.wayBack(visit, step, action: action).html] : [] }

    /// A form with a single button, which cancels the flow and returns to the application.
    static func wayBack(_ visit: GateVisit, _ step: FlowStep, action: String) -> PageForm {
        PageForm(to: action, hidden: hidden(visit, step), buttons: [leave("Back to the application")])
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

    private var hidden: [(name: String, value: String)] { Self.hidden(visit, step) }

    private static func hidden(_ visit: GateVisit, _ step: FlowStep) -> [(name: String, value: String)] {
        [("executionId", visit.executionID), ("challengeToken", step.challengeToken ?? "")]
    }
}
