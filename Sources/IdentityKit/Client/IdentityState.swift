#if canImport(Combine)
import Combine
#endif

/// Who is signed in, for the screens of an app: one view model, whatever backend is configured.
///
/// In SwiftUI it is an `ObservableObject`; elsewhere ``states()`` tells every change.
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
    /// What an app shows.
    public enum State: Sendable, Equatable {
        /// It is not known yet, or cannot be known now; then ``IdentityState/problem`` says why.
        case unknown
        /// Nobody is signed in.
        case signedOut
        /// This account is.
        case signedIn(AccountID)

        /// The signed-in account.
        public var account: AccountID? {
            if case .signedIn(let account) = self { account } else { nil }
        }
    }

    /// Who is signed in.
    #if canImport(Combine)
    @Published
    #endif
    public private(set) var state = State.unknown {
        didSet { if state != oldValue { tell() } }
    }

    /// Whether a sign-in, a sign-out or a look is under way.
    #if canImport(Combine)
    @Published
    #endif
    public private(set) var isBusy = false

    /// What went wrong with the last action, or whose session has ended, in words for a person; `nil` when nothing did.
    /// Giving up is nothing wrong.
    #if canImport(Combine)
    @Published
    #endif
    public private(set) var problem: String?

    /// Whom the signed-in account stands in for, when that one's session has ended; `nil` when it stands for itself. See
    /// ``SessionEndPolicy/fallBack``.
    #if canImport(Combine)
    @Published
    #endif
    public private(set) var fallback: SessionFallback?

    /// The client, for requests and tokens.
    public nonisolated let client: IdentityClient

    /// The text about a session that has ended, for as long as nobody has decided.
    private var endOfSession: String?
    private var action: Task<Void, Never>?
    private var following: Task<Void, Never>?
    private let broadcaster = Broadcaster<State>()

    /// A session over `client`. It follows what the client is told elsewhere, such as a sign-out in another window.
    public init(_ client: IdentityClient) {
        self.client = client
        broadcaster.send(state, isState: true)
        let events = client.events()
        following = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                self.follow(event)
            }
        }
    }

    deinit {
        following?.cancel()
        broadcaster.finish()
    }

    /// Looks who is signed in, without showing anything: once when the app starts, and when it comes to the front.
    public func refresh() async {
        await perform { [client] in IdentityEvent(try await client.lookUp()) }
    }

    /// Lets the user sign in, unless somebody is signed in.
    public func signIn(scopes: Set<String> = []) async {
        await perform { [client] in try await client.signInEvent(scopes: scopes) }
    }

    /// Lets the user sign in with the provider called `name`.
    public func signIn(with name: String, scopes: Set<String> = []) async {
        await perform { [client] in .signedIn(try await client.signIn(with: name, scopes: scopes)) }
    }

    /// Ends the session.
    public func signOut() async {
        await perform { [client] in
            try await client.signOut()
            return .signedOut
        }
    }

    /// Gives up the running action.
    public func cancel() {
        action?.cancel()
    }

    /// The state now and each one that follows.
    public func states() -> AsyncStream<State> {
        broadcaster.stream(bufferingPolicy: .bufferingNewest(16))
    }

    /// One action at a time: a second tap on a button waits for the first to end, and does nothing more.
    private func perform(_ body: @escaping @Sendable () async throws -> IdentityEvent) async {
        if let action { return await action.value }
        (isBusy, problem) = (true, nil)
        let running = Task {
            do {
                follow(try await body())
            } catch is CancellationError {
                // The user gave up: everything is as it was.
            } catch {
                problem = error.scrubbedMessage
            }
            (isBusy, action) = (false, nil)
        }
        action = running
        await withTaskCancellationHandler {
            await running.value
        } onCancel: {
            running.cancel()
        }
    }

    private func follow(_ event: IdentityEvent) {
        switch event {
        case .signedIn(let account): show(.signedIn(account))
        case .fellBack(let account, let other): show(.signedIn(account), fallback: other)
        case .sessionEnded(let account, let reason):
            show(.signedOut)
            endOfSession = SessionError.ended(account, reason: reason).message
            problem = endOfSession
        case .signedOut: show(.signedOut)
        // Who is active with the new providers is for the app to ask, when it likes.
        case .configurationChanged, .configurationRejected: break
        }
    }

    private func show(_ state: State, fallback: SessionFallback? = nil) {
        (self.state, self.fallback) = (state, fallback)
        // Somebody has decided since, perhaps in another window.
        if problem == endOfSession { problem = nil }
        endOfSession = nil
    }

    private func tell() {
        broadcaster.send(state, isState: true)
    }
}

#if canImport(Combine)
extension IdentityState: ObservableObject {}
#endif
