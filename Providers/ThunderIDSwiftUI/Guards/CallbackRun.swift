import Foundation
import IdentityKit

#if canImport(Combine)
import Combine
#endif

/// The end of a redirect sign-in that a callback brings. A callback is good once, however often a view appears.
@MainActor
final class CallbackRun {
    /// Whether the callback is still being looked at.
    @Published private(set) var isLoading = true
    /// The error; `nil` when nothing went wrong.
    @Published private(set) var failure: IAMError?

    /// Whether the sign-in goes on after an error that may be anybody's, so that the person can stop it.
    var canStop: Bool { failure?.isUnconfirmed == true }

    private var finished: URL?

    /// Finishes the sign-in, once the client of `state` is set up.
    /// - Returns: how it ended; `nil` when there is nothing to do, or nothing yet.
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

    /// Stops the sign-in that goes on.
    func stop(below state: ThunderIDState) async {
        await state.stopRedirectSignIns()
        failure = nil
    }
}

#if canImport(Combine)
extension CallbackRun: ObservableObject {}
#endif
