import Foundation
import IdentityKit

#if canImport(Combine)
import Combine
#endif

/// Completes a redirect sign-in with its callback, only once even if the view reappears.
@MainActor
final class CallbackRun {
    /// Whether the callback is still being processed.
    @Published private(set) var isLoading = true
    /// The error; `nil` if there is none.
    @Published private(set) var failure: IAMError?

    /// Whether the error may come from any app, so that the sign-in still waits and the person can stop it.
    var canStop: Bool { failure?.isUnconfirmed == true }

    private var finished: URL?

    /// Completes the sign-in, after the client of `state` is initialized.
    /// - Returns: the outcome; `nil` if there is nothing to do, or not yet.
    func finish(_ url: URL, below state: ThunderIDState) async -> Result<Void, any Error>? {
        guard state.isReady else {
            (isLoading, failure) = (state.presence == .unknown, state.failure)
            return nil
        }
        guard finished != url else { return nil }
        finished = url
        (isLoading, failure) = (true, nil)
        let result = await state.finishSignIn(at: url)
        if case .failure(let error) = result { failure = IAMError.shown(error) }
        isLoading = false
        return result
    }

    /// Stops the sign-in that still waits.
    func stop(below state: ThunderIDState) async {
        await state.stopRedirectSignIns()
        failure = nil
    }
}

#if canImport(Combine)
extension CallbackRun: ObservableObject {}
#endif
