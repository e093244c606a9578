import Foundation
import IdentityKit

#if canImport(Combine)
import Combine
#endif

/// A run of a flow, for a form: the current step, the entered values, and errors. In SwiftUI it is an
/// `ObservableObject`, under the name ``SignInState``.
@MainActor
public final class SignInFlow {
    /// The outcome of a flow.
    public enum Outcome: Sendable, Equatable {
        /// The person is signed in.
        case signedIn
        /// The flow was completed without a sign-in, like most registrations.
        case finished
    }

    /// The step; `nil` before the first one.
    @Published public internal(set) var step: EmbeddedFlowResponse?

    /// Whether a request is in progress, a page is open, or a passkey is requested.
    @Published public internal(set) var isLoading = false

    /// The error of the last step, as a message for the person; `nil` if there is none.
    @Published public private(set) var error: String?

    /// The error of the last step; `nil` if there is none. Its text is English or the server's; show ``error`` to people.
    @Published public internal(set) var failure: IAMError? {
        didSet { emit() }
    }

    /// Errors in single fields, by name.
    @Published public private(set) var problems: [String: String] = [:]

    /// The ``problems`` with the server's texts, or in English.
    var untoldProblems: [String: String] = [:] {
        didSet { emit() }
    }

    /// A message about a flow that ended before its purpose, for example after a change of the password.
    public var notice: String? { flowNotice.map { $0.text ?? texts.text(.signInDone) } }

    /// The notice, with the server's text if there is one.
    @Published var flowNotice: Notice?

    /// The texts that do not come from the server, in the language of the flow.
    @Published public internal(set) var texts: ThunderIDTexts

    /// Whether the flow cannot continue and has to be started again.
    @Published public internal(set) var isOver = false

    /// The outcome of the flow; `nil` while it runs.
    @Published public internal(set) var outcome: Outcome?

    @Published var values: [String: String] = [:]

    @Published var agreed: Set<String> = []

    /// The flow's type and its application.
    public let request: EmbeddedFlowRequestConfig

    /// The state whose client the flow uses, and whose errors it shows.
    var provider: ThunderIDState?
    var client: ThunderIDClient?
    var handlers = SignInHandlers()
    let sessionID: String?
    /// Whether the app has set the texts, so that the client's language is ignored.
    let hasOwnTexts: Bool
    /// The number of steps so far, by which a newer step is noticed.
    var stepCount = 0
    var link: FlowLink?
    var newestLink: FlowLink?
    var firstQuestion: Question?
    /// Answers so far, and the completion of the current step.
    var flow = FlowState()
    /// The message of the latest step that had one.
    var lastMessage: String?

    /// Creates a flow that has not started.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier; empty for the configured one.
    ///   - type: the purpose of the flow.
    ///   - link: a mailed link to continue with, instead of a start.
    ///   - sessionId: the session to sign in to.
    ///   - texts: the texts that do not come from the server; `nil` for those of the ``ThunderIDState`` above the view,
    ///     or of this library in the client's language.
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

    /// The fields of the step, without hidden ones. A step that waits for a mailed link has a field for the link or its code.
    public var inputs: [FlowInput] {
        // A page or a passkey returns the values, so there are no fields.
        guard let step, !isAutomatic else { return [] }
        if isWaitingForLink { return step.inputs.prefix(1).map(\.asLinkOrCode) }
        return step.inputs.filter {
            $0.type != "HIDDEN" && $0.type != "CONSENT_INPUT" && (suggestion == nil || !$0.isOfPasskey)
        }
    }

    public var actions: [FlowAction] { step?.actions ?? [] }

    /// Texts of the step that the person can pass on.
    public var copyables: [FlowCopyable] { step?.data?.copyables ?? [] }

    /// The headings of the step, in the person's language.
    public var headings: [String] { step?.data?.headings ?? [] }

    /// The texts of the step that are neither headings nor labels, in the person's language.
    public var paragraphs: [FlowParagraph] { step?.data?.paragraphs ?? [] }

    /// The layout of the step by an administrator. ``inputs``, ``actions``, ``headings`` and ``paragraphs`` are derived
    /// from it.
    public var components: [FlowComponent] { step?.data?.meta?.components ?? [] }

    /// The text to show above the fields.
    public var message: String? {
        if let message = step?.message { return message }
        return isWaitingForLink ? lastMessage ?? texts.text(.signInOpenLink) : notice
    }

    /// Whether a requested password is a new one, so that the system offers to generate one.
    public var choosesPassword: Bool { request.flowType != .authentication && request.flowType != .signOut }

    /// Whether the step's code consists of digits only. A step that asks again does not repeat this.
    public internal(set) var hasNumericCode = true

    /// Whether the flow waits for a mailed link: pass an opened link to ``resume(with:)``; the only field in ``inputs``
    /// is for a pasted link or its code.
    public var isWaitingForLink: Bool { outcome == nil && step?.waitsForLink == true }

    /// Whether to offer starting over.
    public var canStartAgain: Bool {
        guard let step, outcome == nil, !isOver, !isLoading else { return false }
        return Question(step) != firstQuestion
    }

    /// The request for consent; `nil` if the step has none.
    public var consent: ConsentQuestion? { step?.consentQuestion }

    /// The only button of a step without actions; `nil` if there are actions.
    public var primaryAction: PrimaryAction? {
        if isOver { return outcome == nil ? .startAgain : nil }
        guard step != nil else { return firstAction }
        guard actions.isEmpty || isAutomatic else { return nil }
        return isAutomatic ? .tryAgain : .proceed
    }

    /// The button before the first step.
    private var firstAction: PrimaryAction? {
        if isLoading || isStarting { return nil }
        return client == nil ? .tryAgain : .startAgain
    }

    /// Whether the flow waits for its client and has nothing to show yet.
    public var isStarting: Bool { client == nil && (provider == nil || error == nil) }

    /// The visible part of a step, by which two steps are compared.
    struct Question: Equatable {
        private let inputs: [String]
        private let actions: [String]

        init(_ step: EmbeddedFlowResponse) {
            inputs = step.inputs.map(\.name)
            actions = step.actions.map(\.id)
        }
    }

    /// A message that the flow shows with its next step.
    struct Notice {
        /// The server's message; `nil` if there is none.
        let text: String?
    }

    /// The only button of a step without actions.
    public enum PrimaryAction: Sendable {
        /// Continues after the step was read or its fields were filled in.
        case proceed
        /// Opens the page or requests the passkey again, or retries after an obstacle.
        case tryAgain
        /// Starts the flow again.
        case startAgain

        /// Identifier of the button for tests, the same in any language.
        var name: String {
            switch self {
            case .proceed: "proceed"
            case .tryAgain: "try-again"
            case .startAgain: "start-again"
            }
        }
    }

    /// Says in the language of the flow what went wrong.
    func emit() {
        error = failure.map(texts.text)
        problems = untoldProblems.mapValues { texts.translation(of: $0) ?? $0 }
    }

    /// The value of a field.
    public func value(for name: String) -> String { values[name] ?? "" }

    /// Sets the value of a field, as by typing.
    public func setValue(_ value: String, for name: String) {
        values[name] = value
        untoldProblems[name] = nil
    }

    /// The date of a field; `nil` without one.
    public func date(for name: String) -> Date? { FieldDate.date(of: value(for: name)) }

    /// Sets a field to the day of `date`, in this time zone; `nil` clears it.
    public func setDate(_ date: Date?, for name: String) {
        setValue(date.flatMap { FieldDate.text(of: $0) } ?? "", for: name)
    }

    /// Whether the person agrees to share `element`.
    public func agrees(to element: String) -> Bool { agreed.contains(element) }

    /// Sets whether the person agrees to share `element`.
    public func setAgreement(_ agrees: Bool, to element: String) {
        if agrees { agreed.insert(element) } else { agreed.remove(element) }
    }

    /// Calls ``advance(_:)`` from a button, without waiting for it.
    public func submit(actionId: String? = nil) {
        Task { await advance(actionId) }
    }
}

/// The name of ``SignInFlow`` in ThunderID's SDK: the state that ``BaseSignIn`` passes to its content.
public typealias SignInState = SignInFlow

/// The state that ``BaseSignUp`` passes to its content, for a registration.
public typealias SignUpState = SignInFlow

extension SignInFlow: CustomReflectable {
    /// Shows no values, because they may be passwords.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}

#if canImport(Combine)
extension SignInFlow: ObservableObject {}
#endif
