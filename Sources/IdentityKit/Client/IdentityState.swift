#if canImport(Combine)
import Combine
#endif

/// A view model of who is signed in, whatever backend is configured.
///
/// On Apple platforms it is an `ObservableObject`, for SwiftUI. On every platform, ``states()`` delivers the changes.
///
/// ```swift
/// struct AccountView: View {
///     @StateObject var session: IdentityState
///
///     var body: some View {
///         switch session.state {
///         case .unknown: ProgressView().task { await session.refresh() }
///         case .signedOut: Button("Sign in") { Task { await session.signIn() } }
///         case .signedIn(let account): HomeView(account: account)
///         }
///     }
/// }
/// ```
@MainActor
public final class IdentityState {
    /// Whether an account is signed in, for an app that shows a different view in each case.
    public enum State: Sendable, Equatable {
        /// The client has not looked up the account yet, or this look-up failed and ``IdentityState/problem`` contains
        /// the error.
        case unknown
        case signedOut
        case signedIn(AccountID)

        public var account: AccountID? {
            if case .signedIn(let account) = self { account } else { nil }
        }
    }

    /// The current state; ``State/unknown`` until the client's first event or look-up.
    #if canImport(Combine)
    @Published
    #endif
    public private(set) var state = State.unknown {
        didSet { if state != oldValue { emit() } }
    }

    /// Whether a sign-in, a sign-out or a look-up is running or waiting.
    #if canImport(Combine)
    @Published
    #endif
    public private(set) var isBusy = false

    /// A message for a person: the error of the last action, or the end of a session; `nil` when there is none. A
    /// cancelled action leaves no message.
    #if canImport(Combine)
    @Published
    #endif
    public private(set) var problem: String?

    /// The account that the signed-in account replaces, and why the replaced account's session cannot be used; `nil`
    /// when the signed-in account is no fallback. See ``/IdentityCore/SessionEndPolicy/fallBack``.
    #if canImport(Combine)
    @Published
    #endif
    public private(set) var fallback: SessionFallback?

    /// Whether the signed-in account's session is suspended: it is kept, but cannot be refreshed, usually until a new
    /// sign-in. ``signIn(with:scopes:)`` then shows one.
    #if canImport(Combine)
    @Published
    #endif
    public private(set) var needsSignIn = false

    /// The name, e-mail address and picture of the signed-in account, for display; `nil` when nobody is signed in, when the
    /// backend sent none, or when the store cannot be read. After a sign-in in another window, the profile changes a moment
    /// after ``state``.
    #if canImport(Combine)
    @Published
    #endif
    public private(set) var profile: AccountProfile?

    /// The client whose active account is shown; use it for requests and tokens.
    public nonisolated let client: IdentityClient

    /// The message about an ended session that was last set as ``problem``, so that the next change of the state can
    /// remove it; `nil` for none.
    private var endOfSession: String?
    private let actions = ActionQueue<Action>()
    private var following: Task<Void, Never>?
    private var withdrawals: Task<Void, Never>?
    private let broadcaster = Broadcaster<State>()

    /// Creates a view model of `client`. It follows every change of the client, such as a sign-out in another window.
    public init(_ client: IdentityClient) {
        self.client = client
        broadcaster.send(state, isState: true)
        let events = client.events()
        if !client.environment.nativeSignIns.isEmpty {
            withdrawals = Task { [client] in await client.followWithdrawals() }
        }
        following = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                if case .configurationRejected = event { continue }
                // The new providers may have another active account. This look-up finds it and updates the client's
                // latest event. If the look-up fails, keep the state, because nothing is known of the new providers.
                if case .configurationChanged = event, (try? await self.client.lookUp()) == nil { continue }
                // Show the client's latest event, because an action may already have shown a later event than `event`.
                self.follow(self.client.latest)
                await self.readProfile()
            }
        }
    }

    deinit {
        following?.cancel()
        withdrawals?.cancel()
        broadcaster.finish()
    }

    /// Looks up who is signed in, without showing a sign-in. First ends each session that was created with a vendor's
    /// token, such as a token of Sign in with Apple, if the person has withdrawn their consent at that vendor. Call this
    /// method when the app starts and when it comes to the front.
    public func refresh() async {
        await perform(.lookUp) { [client] in
            await client.endWithdrawnSessions()
            _ = try await client.lookUp()
        }
    }

    /// Lets the user sign in. Without `name`, does so only if no account with a working session is signed in. An error
    /// becomes the ``problem``.
    /// - Parameters:
    ///   - name: the name of a provider, which shows its sign-in even when an account is signed in; `nil` for any provider.
    ///   - scopes: the scopes that the session must have.
    public func signIn(with name: String? = nil, scopes: Set<String> = []) async {
        await perform(.signIn(name, scopes)) { [client] in
            try await client.signIn(with: name, scopes: scopes)
        }
    }

    /// Signs the account of ``state`` out, even if another one has become the active account meanwhile. While the state
    /// has no account, signs the active account out. The state changes, and the person may sign in again, as soon as the
    /// session is erased from the store. The call returns after the attempt to revoke the tokens at the backend.
    public func signOut() async {
        let revocation = Locked<Task<Void, any Error>?>(nil)
        let shown = state.account
        await perform(.signOut) { [client] in
            let rest = try await Task.untilOver { try await client.signOut(as: shown, $0) }
            revocation.withLock { $0 = rest }
        }
        _ = await revocation.withLock { $0 }?.result
    }

    /// Cancels the running action and the waiting ones.
    public func cancel() {
        actions.cancel()
    }

    /// Returns a stream of the current state and each later state. A slow reader gets only the newest 16.
    public func states() -> AsyncStream<State> {
        broadcaster.stream(bufferingPolicy: .bufferingNewest(16))
    }

    private enum Action: Equatable {
        case lookUp, signOut
        case signIn(String?, Set<String>)
    }

    /// Runs one action at a time. A call with the same action as the last call joins that action, and a call with another
    /// action waits.
    private func perform(_ action: Action, _ body: @escaping @Sendable () async throws -> Void) async {
        isBusy = true
        await actions.perform(action) { [self] in
            (isBusy, problem) = (true, nil)
            do {
                try await body()
                await showLatest()
            } catch is CancellationError {
                // A cancellation by the user or the app is no problem to show.
            } catch {
                problem = error.scrubbedMessage
            }
        }
        isBusy = actions.isBusy
    }

    private func follow(_ event: IdentityEvent) {
        switch event {
        case .signedIn(let account): show(.signedIn(account))
        case .fellBack(let account, let other): show(.signedIn(account), fallback: other)
        case .suspended(let account, _): show(.signedIn(account), needsSignIn: true)
        case .sessionEnded(let account, let reason): show(.ended(account, reason: reason))
        case .belongsElsewhere(let account, let reason): show(.belongsElsewhere(account, reason: reason))
        case .signedOut: show(.signedOut)
        case .configurationChanged, .configurationRejected: break
        }
    }

    /// Shows the client's latest event, together with the profile of its account.
    private func showLatest() async {
        var event: IdentityEvent
        var read: AccountProfile?
        repeat {
            event = client.latest
            read = await client.profile(of: event.activeAccount)
        } while event != client.latest
        follow(event)
        profile = read
    }

    private func readProfile() async {
        let account = state.account
        let read = await client.profile(of: account)
        // Drop the profile if another account was signed in meanwhile.
        if state.account == account { profile = read }
    }

    private func show(_ state: State, fallback: SessionFallback? = nil, needsSignIn: Bool = false) {
        if state.account != self.state.account { profile = nil }
        (self.state, self.fallback, self.needsSignIn) = (state, fallback, needsSignIn)
        // If the message is about the end of a session, remove it, because the state has changed since then, perhaps in
        // another window.
        if problem == endOfSession { problem = nil }
        endOfSession = nil
    }

    private func show(_ error: SessionError) {
        show(.signedOut)
        endOfSession = error.message
        problem = endOfSession
    }

    private func emit() {
        broadcaster.send(state, isState: true)
    }
}

extension IdentityClient {
    /// The stored profile of `account`; `nil` when there is none. An unreadable store is no error here, because calls that
    /// need the session report it.
    fileprivate func profile(of account: AccountID?) async -> AccountProfile? {
        guard let account else { return nil }
        return try? await summary(of: account)?.profile
    }
}

#if canImport(Combine)
extension IdentityState: ObservableObject {}
#endif
