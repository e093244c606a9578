import Foundation
import IdentityKit

#if canImport(Combine)
import Combine
#endif

/// The state of a form while the person goes through a flow of the server, such as a sign-in or a registration: the
/// current step, the entered values, and errors. On Apple's systems the class is an `ObservableObject` for SwiftUI
/// views.
@MainActor
public final class SignInFlow {
    /// The outcome of a flow that did not fail.
    public enum Outcome: Sendable, Equatable {
        /// The person is signed in.
        case signedIn
        /// The flow was completed without a sign-in, like most registrations.
        case finished
    }

    /// The current step, and after the end of the flow the last response; `nil` before the first step.
    @Published public internal(set) var step: EmbeddedFlowResponse?

    /// Whether a request is in progress, a page is open, or a passkey is requested. The flow accepts no input then.
    @Published public internal(set) var isLoading = false

    /// The message of the latest ``failure`` in the language of the flow, to be shown to the person; `nil` if there is none.
    @Published public private(set) var error: String?

    /// The error of the latest submission or start; `nil` if there is none. Its message is in English or from the server;
    /// show ``error`` to people.
    @Published public internal(set) var failure: IAMError? {
        didSet { emit() }
    }

    /// The errors in single fields by the fields' names, as messages in the language of the flow. ``setValue(_:for:)``
    /// removes the error of its field.
    @Published public private(set) var problems: [String: String] = [:]

    /// The errors in single fields before ``emit()`` translates them for ``problems``. Each is a text of the server or an
    /// English text of this library.
    var untoldProblems: [String: String] = [:] {
        didSet { emit() }
    }

    /// A message about the previous run of the flow, which ended without a sign-in, for example after a change of the
    /// password. `nil` if the flow has not started again after such a run.
    public var notice: String? { flowNotice.map { $0.text ?? texts.text(.signInDone) } }

    /// The message behind ``notice``. A flow that already has a notice does not start again automatically, because it could
    /// otherwise start again without end.
    @Published var flowNotice: Notice?

    /// The texts of this library and the app, in the language of the flow.
    @Published public internal(set) var texts: ThunderIDTexts

    /// Whether the flow has ended. If it has ended without an ``outcome``, the person can start it again.
    @Published public internal(set) var isOver = false

    /// The outcome of the flow. `nil` while the flow runs, after an error that ended it, and if a flow that should sign
    /// the person in ended without a sign-in.
    @Published public internal(set) var outcome: Outcome?

    @Published var values: [String: String] = [:]

    @Published var agreed: Set<String> = []

    /// The type of the flow and the application whose flow runs.
    public let request: EmbeddedFlowRequestConfig

    /// The state whose client the flow uses and whose errors it shows; `nil` for a flow that was started with a client.
    var provider: ThunderIDState?
    var client: ThunderIDClient?
    var handlers = SignInHandlers()
    let sessionID: String?
    /// Whether the app has set the texts. The language of the client or state is ignored then.
    let hasOwnTexts: Bool
    /// The number of the form's views that are on the screen; `nil` unless ``FlowView`` shows the form. This is no Boolean
    /// value, because a view may appear before the view that it replaces disappears.
    private var shownViews: Int?
    /// Whether the person has left the form. The flow then no longer opens pages or requests passkeys automatically.
    var isLeft: Bool { shownViews == 0 }
    /// The outcome that ``takeOutcome()`` has returned; `nil` before the outcome of this run of the flow.
    var takenOutcome: Outcome?
    /// The number of steps so far. A translation that arrives late compares the number to detect a newer step.
    var stepCount = 0
    var link: FlowLink?
    var newestLink: FlowLink?
    /// The link that ``restart()`` continues next. ``resume(with:)`` sets it, and then waits for the end of a request.
    var nextLink: FlowLink?
    let requestEnd = RequestEnd()
    var firstQuestion: Question?
    /// The state of the flow, such as the names of the inputs so far and the way to complete the current step.
    var flow = FlowState()
    /// The message of the latest step with a message, shown while the flow waits for a mailed link.
    var lastMessage: String?

    /// Creates a flow, which ``start(below:)`` or ``start(with:handlers:)`` starts.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier; empty for the configured one.
    ///   - type: the purpose of the flow.
    ///   - link: a mailed link whose flow is continued; `nil` to start a new flow.
    ///   - sessionId: the name of the client's session to sign in to; `nil` for the session without a name.
    ///   - texts: the texts that do not come from the server. With `nil`, the flow uses the texts of the
    ///     ``ThunderIDState`` above the view. Without such a state, the flow uses this library's texts in the client's
    ///     language.
    public init(
        applicationId: String, type: FlowType = .authentication, link: FlowLink? = nil, sessionId: String? = nil,
        texts: ThunderIDTexts? = nil
    ) {
        hasOwnTexts = texts != nil
        self.texts = texts ?? ThunderIDTexts(language: Locale.preferredLanguages.first ?? "en")
        request = EmbeddedFlowRequestConfig(applicationId: applicationId, flowType: type)
        (self.link, newestLink) = (link, link)
        sessionID = sessionId
    }

    /// The visible fields of the step. A step that waits for a mailed link has one field, for the link or its code. A step
    /// that a page or a passkey completes has none.
    public var inputs: [FlowInput] {
        // If a page or a passkey completes the step, show no fields, because the page or the passkey returns their
        // values.
        guard let step, !isAutomatic else { return [] }
        if isWaitingForLink { return step.inputs.prefix(1).map(\.asLinkOrCode) }
        return step.inputs.filter {
            $0.type != "HIDDEN" && $0.type != "CONSENT_INPUT" && (suggestion == nil || !$0.isOfPasskey)
        }
    }

    /// The actions of the step; the first is the default. Empty before the first step, and for a step without actions. Show
    /// buttons for them only while ``primaryAction`` is `nil`.
    public var actions: [FlowAction] { step?.actions ?? [] }

    /// The texts of the step that the person can copy and pass on, such as an invitation's link.
    public var copyables: [FlowCopyable] { step?.data?.copyables ?? [] }

    /// The headings of the step from the server, in the person's language.
    public var headings: [String] { step?.data?.headings ?? [] }

    /// The texts of the step that are neither headings nor labels, in the person's language.
    public var paragraphs: [FlowParagraph] { step?.data?.paragraphs ?? [] }

    /// The layout of the step as an administrator designed it, for a form that follows this layout. ``headings``,
    /// ``paragraphs`` and labels come from the same layout.
    public var components: [FlowComponent] { step?.data?.meta?.components ?? [] }

    /// The text to show above the fields: the server's message for the step. For a step without a message, the text depends on
    /// whether the flow waits for a mailed link. If it does, the text is the message of an earlier step, or else an instruction
    /// to open the link. If it does not, the text is ``notice``.
    public var message: String? {
        if let message = step?.message { return message }
        return isWaitingForLink ? lastMessage ?? texts.text(.signInOpenLink) : notice
    }

    /// Whether the person chooses a new password in this flow, so that the system may offer to generate it. `true` for all
    /// flows except sign-in and sign-out.
    public var choosesPassword: Bool { request.flowType != .authentication && request.flowType != .signOut }

    /// Whether the one-time code consists of digits only, by default `true`. A step that asks for the code again does
    /// not repeat this fact, so the value from an earlier step stays.
    public internal(set) var hasNumericCode = true

    /// Whether the flow waits for a mailed link. If the person opens the link in the app, pass it to ``resume(with:)``. The
    /// person can also paste the link, or type its code, in the only field of ``inputs``.
    public var isWaitingForLink: Bool { outcome == nil && step?.waitsForLink == true }

    /// Whether to show a button for ``restart()``. `false` before the first step, for a step with the inputs and
    /// actions of the first step, while ``isLoading`` is `true`, and after the end of the flow.
    public var canStartAgain: Bool {
        guard let step, outcome == nil, !isOver, !isLoading else { return false }
        return Question(step) != firstQuestion
    }

    /// The step's request for consent to share data; `nil` if the step has none.
    public var consent: ConsentQuestion? { step?.consentQuestion }

    /// The only button of the form. `nil` if the form shows a button for each of the ``actions`` instead, or no button.
    ///
    /// - For a step that a page or a passkey completes, the button is ``PrimaryAction/tryAgain``.
    /// - For any other step without actions, it is ``PrimaryAction/proceed``.
    /// - After the end of the flow, it is ``PrimaryAction/startAgain``, or `nil` if the flow has an ``outcome``.
    /// - Before the first step, it is `nil` while the flow starts. After a failed start, it is ``PrimaryAction/tryAgain`` if
    ///   the flow has no client yet, or else ``PrimaryAction/startAgain``.
    public var primaryAction: PrimaryAction? {
        if isOver { return outcome == nil ? .startAgain : nil }
        guard step != nil else { return firstAction }
        guard actions.isEmpty || isAutomatic else { return nil }
        return isAutomatic ? .tryAgain : .proceed
    }

    /// The button before the first step, after a failed start; `nil` while the flow starts.
    private var firstAction: PrimaryAction? {
        if isLoading || isStarting { return nil }
        return client == nil ? .tryAgain : .startAgain
    }

    /// Whether the flow has no client yet and no error to show, so that the form shows only progress.
    public var isStarting: Bool { client == nil && (provider == nil || error == nil) }

    /// The names of a step's inputs and the identifiers of its actions, to compare two steps.
    struct Question: Equatable {
        private let inputs: [String]
        private let actions: [String]

        init(_ step: EmbeddedFlowResponse) {
            inputs = step.inputs.map(\.name)
            actions = step.actions.map(\.id)
        }
    }

    /// A message about the previous run of the flow, shown while the flow runs again.
    struct Notice {
        /// The server's message, or the message of the error that ended the previous run; `nil` for the library's text.
        let text: String?
    }

    /// The only button of a form whose step has no actions to show.
    public enum PrimaryAction: Sendable {
        /// Submits a step that has fields or only texts, but no actions.
        case proceed
        /// Opens the page or requests the passkey again, or initializes the client again after an error.
        case tryAgain
        /// Starts the flow again after its end or a failed start.
        case startAgain

        /// The name of the button for ``ElementIdentifier/action(_:)``.
        var name: String {
            switch self {
            case .proceed: "proceed"
            case .tryAgain: "try-again"
            case .startAgain: "start-again"
            }
        }
    }

    /// Returns the outcome on the first call after the flow has ended with an outcome; otherwise `nil`. A view that reappears
    /// therefore does not report the outcome again.
    func takeOutcome() -> Outcome? {
        defer { takenOutcome = outcome }
        return outcome == takenOutcome ? nil : outcome
    }

    func viewAppears() { shownViews = (shownViews ?? 0) + 1 }

    func viewDisappears() { shownViews = max((shownViews ?? 0) - 1, 0) }

    /// Updates ``error`` and ``problems`` in the language of the flow.
    func emit() {
        error = failure.map(texts.text)
        problems = untoldProblems.mapValues { texts.translation(of: $0) ?? $0 }
    }

    /// Returns the entered value of the field `name`, or an empty text.
    public func value(for name: String) -> String { values[name] ?? "" }

    /// Sets the value of the field `name`, and removes the field's error from ``problems``.
    public func setValue(_ value: String, for name: String) {
        values[name] = value
        untoldProblems[name] = nil
    }

    /// Returns noon of the day in a date field, in this time zone; `nil` if the field is empty or is not a day such as
    /// `2000-02-29`.
    public func date(for name: String) -> Date? { FieldDate.date(of: value(for: name)) }

    /// Sets a date field to the day of `date` in this time zone. `nil`, and a date outside of the years 1 to 9999, clear the
    /// field.
    public func setDate(_ date: Date?, for name: String) {
        setValue(date.flatMap { FieldDate.text(of: $0) } ?? "", for: name)
    }

    /// Returns whether the person agrees to share the attribute `element`. Each step begins without agreements.
    public func agrees(to element: String) -> Bool { agreed.contains(element) }

    /// Sets whether the person agrees to share the attribute `element`, an element of ``consent``.
    public func setAgreement(_ agrees: Bool, to element: String) {
        if agrees { agreed.insert(element) } else { agreed.remove(element) }
    }

    /// Calls ``advance(_:)`` in a new task and returns at once, for the action of a button.
    public func submit(actionId: String? = nil) {
        Task { await advance(actionId) }
    }
}

/// The name of ``SignInFlow`` in ThunderID's SDK: the state that ``BaseSignIn`` passes to its content.
public typealias SignInState = SignInFlow

/// The state of a person's sign-up, which ``BaseSignUp`` passes to its content.
public typealias SignUpState = SignInFlow

extension SignInFlow: CustomReflectable {
    /// Shows no values, because they may be passwords.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}

#if canImport(Combine)
extension SignInFlow: ObservableObject {}
#endif
