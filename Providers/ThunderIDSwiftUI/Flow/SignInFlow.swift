import Foundation
import IdentityKit

#if canImport(Combine)
import Combine
#endif

/// A run of a flow, as a form shows it: what the step asks for, what was typed, what went wrong. In SwiftUI it is an
/// `ObservableObject`, under the name ``SignInState``.
@MainActor
public final class SignInFlow {
    /// How a flow ended.
    public enum Outcome: Sendable, Equatable {
        /// The person is signed in.
        case signedIn
        /// The flow is done without a sign-in, as a registration is.
        case finished
    }

    /// The step; `nil` before the first one.
    @Published public internal(set) var step: EmbeddedFlowResponse?

    /// Whether a request is under way, a page is open, or a passkey is asked for.
    @Published public internal(set) var isLoading = false

    /// The error of the last step, in words for the person; `nil` when nothing did.
    @Published public private(set) var error: String?

    /// The error of the last step; `nil` when nothing went wrong. Its text is English, or the server's; ``error`` is
    /// for the person.
    @Published public internal(set) var failure: IAMError? {
        didSet { emit() }
    }

    /// Mistakes in single fields, by name.
    @Published public private(set) var problems: [String: String] = [:]

    /// ``problems`` in the words of the server, or in English.
    var untoldProblems: [String: String] = [:] {
        didSet { emit() }
    }

    /// The message of a flow that ended on the way, such as that a password was changed.
    public var notice: String? { flowNotice.map { $0.text ?? texts.text(.signInDone) } }

    /// A notice of the server, or one without a text.
    @Published var flowNotice: Notice?

    /// The texts beside those of the server, in the language of the flow.
    @Published public internal(set) var texts: ThunderIDTexts

    /// Whether the flow cannot continue and has to be started again.
    @Published public internal(set) var isOver = false

    /// How the flow ended; `nil` while it runs.
    @Published public internal(set) var outcome: Outcome?

    @Published var values: [String: String] = [:]

    @Published var agreed: Set<String> = []

    /// The flow of which application.
    public let request: EmbeddedFlowRequestConfig

    /// Sets the client up, and says what is in the way of that.
    var provider: ThunderIDState?
    var client: ThunderIDClient?
    var handlers = SignInHandlers()
    let sessionID: String?
    /// Whether the app has said which texts, so that the language of the client says nothing.
    let hasOwnTexts: Bool
    /// How many steps there were, to see that another one came meanwhile.
    var stepCount = 0
    var link: FlowLink?
    var newestLink: FlowLink?
    var firstQuestion: Question?
    /// Answers so far, and the completion of the newest step.
    var flow = FlowState()
    /// The last message of a step that had one.
    var lastMessage: String?

    /// A flow that has not begun.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier; empty for the configured one.
    ///   - type: what the flow is for.
    ///   - link: a mailed link to continue with, in place of a start.
    ///   - sessionId: the session that it signs in to.
    ///   - texts: the texts beside those of the server; `nil` for those of the ``ThunderIDState`` that it starts below, or
    ///     of this library in the client's language.
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

    /// The fields of the step, without the hidden ones. A step that waits for a mailed link has one for the
    /// link or the code in it.
    public var inputs: [FlowInput] {
        // Values that a page or a passkey returns are not typed.
        guard let step, !isAutomatic else { return [] }
        if isWaitingForLink { return step.inputs.prefix(1).map(\.asLinkOrCode) }
        return step.inputs.filter {
            $0.type != "HIDDEN" && $0.type != "CONSENT_INPUT" && (suggestion == nil || !$0.isOfPasskey)
        }
    }

    public var actions: [FlowAction] { step?.actions ?? [] }

    /// Texts that the step gives the person to pass on.
    public var copyables: [FlowCopyable] { step?.data?.copyables ?? [] }

    /// The headings of the step, in the person's language.
    public var headings: [String] { step?.data?.headings ?? [] }

    /// The texts of the step that stand by themselves, in the person's language.
    public var paragraphs: [FlowParagraph] { step?.data?.paragraphs ?? [] }

    /// How an administrator laid the step out. ``inputs``, ``actions``, ``headings`` and ``paragraphs`` are read from it.
    public var components: [FlowComponent] { step?.data?.meta?.components ?? [] }

    /// The text to show above the fields.
    public var message: String? {
        if let message = step?.message { return message }
        return isWaitingForLink ? lastMessage ?? texts.text(.signInOpenLink) : notice
    }

    /// Whether a password that is asked for is a new one, so that the system offers to make one up.
    public var choosesPassword: Bool { request.flowType != .authentication && request.flowType != .signOut }

    /// Whether the code of the step consists of digits alone. A step that asks once more does not say it again.
    public internal(set) var hasNumericCode = true

    /// Whether the flow continues only with what a mail brings: ``resume(with:)`` takes the link that the person opened,
    /// and the one field of ``inputs`` the link that they paste, or the code that is in it.
    public var isWaitingForLink: Bool { outcome == nil && step?.waitsForLink == true }

    /// Whether to offer starting over.
    public var canStartAgain: Bool {
        guard let step, outcome == nil, !isOver, !isLoading else { return false }
        return Question(step) != firstQuestion
    }

    /// The question what to share; `nil` when the step asks for nothing of that kind.
    public var consent: ConsentQuestion? { step?.consentQuestion }

    /// The label on the only button of a step that has no actions of its own; `nil` when it has.
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

    /// Whether the flow waits for its client, with nothing to show yet.
    public var isStarting: Bool { client == nil && (provider == nil || error == nil) }

    /// The question of a step, as far as a person sees it.
    struct Question: Equatable {
        private let inputs: [String]
        private let actions: [String]

        init(_ step: EmbeddedFlowResponse) {
            inputs = step.inputs.map(\.name)
            actions = step.actions.map(\.id)
        }
    }

    /// A message of a flow on the way.
    struct Notice {
        /// The server's message; `nil` where it has none.
        let text: String?
    }

    /// The one button of a step.
    public enum PrimaryAction: Sendable {
        /// The step has been read, or its fields are filled in.
        case proceed
        /// The page or the passkey once more, or what was in the way of the flow.
        case tryAgain
        /// The flow from its beginning.
        case startAgain

        /// The identifier of the button for tests of an app's screens, in any language.
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

    /// Types a value.
    public func setValue(_ value: String, for name: String) {
        values[name] = value
        untoldProblems[name] = nil
    }

    /// The date of a field; `nil` without one.
    public func date(for name: String) -> Date? { FieldDate.date(of: value(for: name)) }

    /// Chooses the day of `date`, in this time zone, for a field; `nil` takes it away.
    public func setDate(_ date: Date?, for name: String) {
        setValue(date.flatMap { FieldDate.text(of: $0) } ?? "", for: name)
    }

    /// Whether the person agrees to share `element`.
    public func agrees(to element: String) -> Bool { agreed.contains(element) }

    /// Agrees to share `element`, or not.
    public func setAgreement(_ agrees: Bool, to element: String) {
        if agrees { agreed.insert(element) } else { agreed.remove(element) }
    }

    /// ``advance(_:)`` for a button.
    public func submit(actionId: String? = nil) {
        Task { await advance(actionId) }
    }
}

/// The other name of ``SignInFlow``: what ``BaseSignIn`` passes to its content.
public typealias SignInState = SignInFlow

/// The state that ``BaseSignUp`` passes to its content, for a registration.
public typealias SignUpState = SignInFlow

extension SignInFlow: CustomReflectable {
    /// Shows no value: passwords are among them.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}

#if canImport(Combine)
extension SignInFlow: ObservableObject {}
#endif
