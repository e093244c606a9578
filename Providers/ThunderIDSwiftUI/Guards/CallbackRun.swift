import Foundation
import IdentityKit

#if canImport(Combine)
import Combine
#endif

/// Completes a redirect sign-in with its callback, only once even if the view reappears.
@MainActor
final class CallbackRun {
    /// Whether the callback is being processed, or waits for the first lookup of the user.
    @Published private(set) var isLoading = true
    /// The error of the sign-in, or of the client's start before it; `nil` if there is none.
    @Published private(set) var failure: IAMError?

    /// Whether another app may have caused the error. The sign-in then still waits for its callback, and the person can
    /// stop it.
    var canStop: Bool { failure?.isUnconfirmed == true }

    private var finished: URL?

    /// Completes the sign-in with the callback `url`, if `state` is ready. A cancellation does not stop the sign-in.
    /// - Returns: the outcome; `nil` if `state` is not ready yet, or if `url` is the last processed callback.
    func finish(_ url: URL, below state: ThunderIDState) async -> Result<Void, any Error>? {
        guard state.isReady else {
            (isLoading, failure) = (state.presence == .unknown, state.failure)
            return nil
        }
        guard finished != url else { return nil }
        finished = url
        (isLoading, failure) = (true, nil)
        // The callback can be used only once, so complete the sign-in even if the view disappears.
        let result = await Task { await state.finishSignIn(at: url) }.value
        if case .failure(let error) = result { failure = IAMError.shown(error) }
        isLoading = false
        return result
    }

    /// Stops waiting for all redirect sign-ins, and removes the error.
    func stop(below state: ThunderIDState) async {
        await state.stopRedirectSignIns()
        failure = nil
    }
}

#if canImport(Combine)
extension CallbackRun: ObservableObject {}
#endif
