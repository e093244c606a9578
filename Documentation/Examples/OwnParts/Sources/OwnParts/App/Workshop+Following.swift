import IdentityKit

extension Workshop {
    /// Prints what becomes of the sessions, until the task is cancelled.
    public func follow(_ show: @Sendable (String) -> Void) async {
        for await event in client.events() {
            switch event {
            case .signedIn(let account): show("\(account) is signed in")
            case .fellBack(let account, let fallback): show("\(account) acts \(fallback)")
            case .sessionEnded(let account, let reason): show("\(account) has to sign in: \(reason)")
            case .belongsElsewhere(let account, let reason): show("\(account) is of another place: \(reason)")
            case .suspended(let account, let suspension):
                show("\(account) should sign in before \(suspension.nextAttempt?.ISO8601Format() ?? "long")")
            case .signedOut: show("nobody is signed in")
            case .configurationChanged(let change): show("new settings: \(change)")
            case .configurationRejected(let message): show("settings are wrong: \(message)")
            }
        }
    }

    /// The line under a window's title, and how it changes.
    @MainActor public static func titles(of state: IdentityState) -> AsyncMapSequence<
        AsyncStream<IdentityState.State>, String
    > {
        state.states().map { new in
            switch new {
            case .unknown: "…"
            case .signedOut: "Signed out"
            case .signedIn(let account): "\(account)"
            }
        }
    }

    /// All that a window shows beside the title.
    @MainActor public static func details(of state: IdentityState) -> [String] {
        let name = state.profile?.displayName ?? state.state.account?.account
        let other = state.fallback.map { "instead of \($0.from)" }
        let call = state.needsSignIn ? "Please sign in again." : nil
        return [name, other, call, state.problem, state.isBusy ? "…" : nil].compactMap(\.self)
    }

    /// The button of the window.
    @MainActor public static func press(_ state: IdentityState) async {
        if state.isBusy { return state.cancel() }
        await state.refresh()
        if state.state.account == nil { await state.signIn(with: "lantern") } else { await state.signOut() }
    }
}
