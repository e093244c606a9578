import Foundation

extension ThunderIDState {
    /// The result of looking up the signed-in user.
    public enum Presence: Sendable, Hashable, CaseIterable {
        /// The lookup has not finished.
        case unknown
        /// A user is signed in. ``ThunderIDState/user`` can still be `nil` if the server could not be reached.
        case signedIn
        case signedOut
        /// The client could not be initialized, or the user could not be looked up. ``ThunderIDState/error`` has the
        /// reason.
        case unavailable
    }

    /// The result of the lookup. A failed lookup after a successful one does not change it.
    ///
    /// For `unavailable`, ``SignedIn`` and ``SignedOut`` show their view for signed-out users, so that a form in this view
    /// can show the error.
    public var presence: Presence {
        if isReady { return isSignedIn ? .signedIn : .signedOut }
        return error == nil ? .unknown : .unavailable
    }

    /// Whether the first lookup of the user has succeeded or failed. A failed initialization of the client counts as a
    /// failed lookup.
    public var isInitialized: Bool { presence != .unknown }

    var isBusy: Bool { isLoading || presence == .unknown }

    /// Completes a redirect sign-in whose callback opened the app, and looks up the user.
    /// - Returns: success, or the error of the sign-in. An error of the lookup is only published in ``error``.
    func finishSignIn(at url: URL) async -> Result<Void, any Error> {
        do {
            try await client.handleRedirectCallback(url: url)
        } catch {
            return .failure(error)
        }
        await refresh()
        return .success(())
    }

    /// Stops waiting for all redirect sign-ins. Offer this after an error that another app may have caused
    /// (`IAMError.isUnconfirmed`).
    public func stopRedirectSignIns() async { try? await client.stopRedirectSignIns() }
}
