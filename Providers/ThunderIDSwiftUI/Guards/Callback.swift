#if canImport(SwiftUI)
import Combine
import IdentitySwiftUI
import SwiftUI

/// Completes a redirect sign-in whose callback opened the app, with the address from `onOpenURL(perform:)`.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct Callback: View {
    @EnvironmentObject private var i18n: ThunderIDI18n
    @EnvironmentObject private var state: ThunderIDState
    private let url: URL
    private let onComplete: (() -> Void)?
    private let onError: ((String) -> Void)?

    /// Creates a view that completes a sign-in.
    /// - Parameters:
    ///   - url: the callback's address.
    ///   - onComplete: called after the sign-in and the lookup of ``ThunderIDState/user``.
    ///   - onError: called with the error message if the sign-in fails. The view shows the message as well.
    public init(url: URL, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil) {
        self.url = url
        self.onComplete = onComplete
        self.onError = onError
    }

    /// A progress indicator during the sign-in; after an error, the message. If another app may have caused the error, the
    /// sign-in still waits for its callback, and the view has a button that stops this.
    public var body: some View {
        BaseCallback(url: url) { result in
            switch result {
            case .success: onComplete?()
            case .failure(let error): onError?(i18n.texts.text(for: IAMError.shown(error)))
            }
        } showing: { run, error in
            VStack(spacing: 8) {
                if run.isLoading {
                    ProgressView()
                    Text(verbatim: i18n.texts.text(.callbackLoading))
                } else if let error {
                    if !run.canStop { Text(verbatim: i18n.texts.text(.callbackError)).bold() }
                    ProblemText(error, identifier: ElementIdentifier.problem)
                    if run.canStop {
                        RankedButton(i18n.texts.text(.callbackStop), rank: .secondary) {
                            Task { await run.stop(below: state) }
                        }
                    }
                }
            }
        }
    }
}

/// Completes a redirect sign-in like ``Callback``, with content that the app draws.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct BaseCallback<Content: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    @StateObject private var run = CallbackRun()
    private let url: URL
    private let onResult: (Result<Void, any Error>) -> Void
    private let content: (CallbackRun, String?) -> Content

    /// Creates a view that completes a sign-in.
    /// - Parameters:
    ///   - url: the callback's address. The view processes it only once, even if the view reappears.
    ///   - onResult: called with the outcome. On success, ``ThunderIDState/user`` has already been looked up.
    ///   - content: draws the view from two arguments: whether the sign-in is in progress, and the error message, `nil`
    ///     without an error.
    public init(
        url: URL, onResult: @escaping (Result<Void, any Error>) -> Void,
        @ViewBuilder content: @escaping (Bool, String?) -> Content
    ) {
        self.init(url: url, onResult: onResult, showing: { content($0.isLoading, $1) })
    }

    init(
        url: URL, onResult: @escaping (Result<Void, any Error>) -> Void,
        @ViewBuilder showing content: @escaping (CallbackRun, String?) -> Content
    ) {
        self.url = url
        self.onResult = onResult
        self.content = content
    }

    /// The identity of the view's task. SwiftUI runs the task again when one of these values changes.
    private struct Occasion: Equatable {
        let url: URL
        let presence: ThunderIDState.Presence
    }

    public var body: some View {
        content(run, run.failure.map { state.texts.text(for: $0) })
            .task(id: Occasion(url: url, presence: state.isReady ? .signedOut : state.presence)) {
                if let result = await run.finish(url, below: state) { onResult(result) }
            }
    }
}

struct CallbackPreviews: PreviewProvider {
    static var previews: some View {
        Preview.signedOut {
            if let url = URL(string: "com.example.notes://callback") { Callback(url: url) }
        }
    }
}
#endif
