#if canImport(SwiftUI)
import Combine
import IdentitySwiftUI
import SwiftUI

/// Completes a redirect sign-in whose callback opened the app, with the address from `onOpenURL(perform:)`.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct Callback: View {
    @EnvironmentObject private var i18n: ThunderIDI18n
    @EnvironmentObject private var state: ThunderIDState
    private let url: URL
    private let onComplete: (() -> Void)?
    private let onError: ((String) -> Void)?

    /// Creates a view that completes a sign-in.
    /// - Parameters:
    ///   - url: the callback's address.
    ///   - onComplete: called after the person is signed in and ``ThunderIDState/user`` is known.
    ///   - onError: called with the message of an error, which the view shows as well.
    public init(url: URL, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil) {
        self.url = url
        self.onComplete = onComplete
        self.onError = onError
    }

    /// A text about the progress, or the error.
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

/// Completes a redirect sign-in like ``Callback``, with a content drawn by the app.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct BaseCallback<Content: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    @StateObject private var run = CallbackRun()
    private let url: URL
    private let onResult: (Result<Void, any Error>) -> Void
    private let content: (CallbackRun, String?) -> Content

    /// Creates a view that completes a sign-in.
    /// - Parameters:
    ///   - url: the callback's address. It can be used only once.
    ///   - onResult: called with the outcome; after a success the user is known.
    ///   - content: draws the view: whether the sign-in is in progress, and the message of an error.
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

    /// The values on which the start depends: when they change, the view tries again.
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
