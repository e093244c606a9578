import Foundation

extension ThunderIDState {
    /// Knowledge about who is signed in.
    public enum Presence: Sendable, Hashable, CaseIterable {
        /// Nothing yet: it is being looked up.
        case unknown
        /// A user is signed in.
        case signedIn
        case signedOut
        /// The user cannot be looked up; ``ThunderIDState/error`` says why.
        case unavailable
    }

    /// Knowledge about who is signed in. A guard shows its fallback also when it cannot be looked up, so that the form
    /// in it says what is in the way.
    public var presence: Presence {
        if isReady { return isSignedIn ? .signedIn : .signedOut }
        return error == nil ? .unknown : .unavailable
    }

    /// Whether the start is over: it is known who is signed in, or ``error`` says why it is not.
    public var isInitialized: Bool { presence != .unknown }

    var isBusy: Bool { isLoading || presence == .unknown }

    /// Finishes a redirect sign-in whose callback opened the app.
    func finishSignIn(at url: URL) async -> Result<Void, any Error> {
        do {
            try await client.handleRedirectCallback(url: url)
        } catch {
            return .failure(error)
        }
        await refresh()
        return .success(())
    }

    /// Stops waiting for the redirect sign-ins that have not come back, as a person may want who is told of an error that may be
    /// anybody's (`IAMError.isUnconfirmed`).
    public func stopRedirectSignIns() async { try? await client.stopRedirectSignIns() }
}
