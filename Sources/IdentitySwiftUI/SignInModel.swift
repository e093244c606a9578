#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// The view model of a sign-in screen: the screen of the client's ``/IdentityKit/SignInEngine``, and the values that the
/// person is typing.
///
/// The engine must be the prompter of the client's environment. With another prompter, the buttons still begin sign-ins, but
/// that prompter shows the steps.
@MainActor
public final class SignInModel: ObservableObject {
    @Published public private(set) var screen = SignInScreen()
    /// The time for which ``rows(_:offering:)`` decides whether a button is enabled.
    @Published private var now = Date()
    @Published private var typed: [String: Secret] = [:]

    private let client: IdentityClient
    private let engine: SignInEngine
    /// Passes the person's inputs to ``run()``, in order; `nil` before the first call of ``run()``.
    private var inputs: AsyncStream<Input>.Continuation?
    private var waking: Task<Void, Never>?

    private enum Input: Sendable {
        case text(Secret, field: String)
        case action(SignInScreen.Action)
    }

    public init(_ client: IdentityClient) {
        self.client = client
        engine = client.environment.prompter as? SignInEngine ?? SignInEngine()
    }

    /// Creates a model that always shows `screen` and does not follow the client, for previews.
    init(_ client: IdentityClient, showing screen: SignInScreen) {
        self.client = client
        engine = SignInEngine()
        self.screen = screen
    }

    /// Shows the client's changes, and performs the person's inputs, until the task is cancelled. Inputs have no effect before
    /// this call.
    public func run() async {
        let (stream, continuation) = AsyncStream<Input>.makeStream()
        inputs = continuation
        let following = Task { [engine, client] in await engine.follow(client) }
        let showing = Task { [weak self, engine] in
            for await screen in await engine.screens() { self?.show(screen) }
        }
        for await input in stream {
            switch input {
            case .text(let text, let field): await engine.enter(text, in: field)
            case .action(let action):
                await engine.perform(action)
                typed = [:]
            }
        }
        following.cancel()
        showing.cancel()
        waking?.cancel()
    }

    /// Returns the rows to draw, from top to bottom.
    /// - Parameters:
    ///   - texts: the texts in the person's language.
    ///   - names: the names of the providers to offer, in order; `nil` for all providers of the configuration.
    public func rows(_ texts: ScreenTexts, offering names: [String]? = nil) -> [SignInRow] {
        (names.map(screen.offering) ?? screen).rows(texts, at: now)
    }

    /// Performs the action of a pressed button, after all earlier inputs.
    public func perform(_ action: SignInScreen.Action) { inputs?.yield(.action(action)) }

    /// Returns a binding of the value of the field with this identifier, for a text field.
    public func binding(for field: String) -> Binding<String> {
        ObservedObject(wrappedValue: self).projectedValue[dynamicMember: \.[value: field]]
    }

    /// Returns a binding for a switch that shows the field with this identifier. The field's value is the text `true` or
    /// `false`.
    public func binding(forSwitch field: String) -> Binding<Bool> {
        ObservedObject(wrappedValue: self).projectedValue[dynamicMember: \.[isOn: field]]
    }

    private subscript(value field: String) -> String {
        get { (typed[field] ?? screen.values[field])?.reveal() ?? "" }
        set {
            typed[field] = Secret(newValue)
            inputs?.yield(.text(Secret(newValue), field: field))
        }
    }

    private subscript(isOn field: String) -> Bool {
        get { self[value: field] == "true" }
        set { self[value: field] = newValue ? "true" : "false" }
    }

    private func show(_ screen: SignInScreen) {
        if screen.prompt != self.screen.prompt { typed = [:] }
        self.screen = screen
        wake()
    }

    /// Redraws now, and again when the next button becomes enabled.
    private func wake() {
        let time = Date()
        now = time
        waking?.cancel()
        let dates = screen.prompt?.actions.compactMap(\.availableAfter) ?? []
        guard let next = dates.filter({ $0 > time }).min() else { return }
        waking = Task { [weak self] in
            try? await Task.sleep(for: .seconds(next.timeIntervalSince(time)))
            if !Task.isCancelled { self?.wake() }
        }
    }
}
#endif
