import Foundation

extension ThunderIDState {
    /// The state of the lookup of the signed-in user.
    public enum Presence: Sendable, Hashable, CaseIterable {
        /// The lookup has not finished.
        case unknown
        /// A user is signed in.
        case signedIn
        case signedOut
        /// The lookup has failed, for the reason in ``ThunderIDState/error``.
        case unavailable
    }

    /// The state of the lookup. Guards show their fallback if it has failed, so that a form in it shows the error.
    public var presence: Presence {
        if isReady { return isSignedIn ? .signedIn : .signedOut }
        return error == nil ? .unknown : .unavailable
    }

    /// Whether the first lookup has finished, with or without success.
    public var isInitialized: Bool { presence != .unknown }

    var isBusy: Bool { isLoading || presence == .unknown }

    /// Completes a redirect sign-in whose callback opened the app.
    func finishSignIn(at url: URL) async -> Result<Void, any Error> {
        do {
            try await client.handleRedirectCallback(url: url)
        } catch {
            return .failure(error)
        }
        await refresh()
        return .success(())
    }

    /// Stops waiting for all redirect sign-ins, as a person may want after an error that any app can cause
    /// (`IAMError.isUnconfirmed`).
    public func stopRedirectSignIns() async { try? await client.stopRedirectSignIns() }
}
