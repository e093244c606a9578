import Foundation
import IdentityKit
import OAuthKit

/// Accounts, sign-in and the session of one project.
///
/// One person is signed in at a time. The session lives in the shared store: it survives a restart, and an
/// ``InsForgeProvider`` named `insforge` with the same store and the same address has the same session. Nothing here is an
/// actor, because an interface asks ``getSession()`` and ``signInWithDefaultView(redirectTo:)`` without waiting.
///
/// Every method throws ``InsForgeAuthError`` for what the server or the network did, `TokenStoreError` for what the store
/// did, and `CancellationError` when its task is cancelled.
public final class InsForgeAuthClient: Sendable {
    /// The realm of the client's accounts in the store.
    static let realm = "insforge"

    /// What a client needs once its address and its store have proved usable.
    struct Project: Sendable {
        let engine: InsForgeEngine
        let flows: PendingFlows

        var api: InsForgeAPI { engine.api }
        var sessions: ProviderSessions { engine.sessions }
    }

    let options: InsForgeClientOptions
    let log: InsForgeLog

    private let key: Locked<String?>
    private let setup: Result<Project, any Error>
    private let state = Locked(State())
    private let broadcast = Broadcaster<InsForgeAuthEvent>()
    /// Calls the app's listener.
    private let following = Locked<Task<Void, Never>?>(nil)

    private struct State: Sendable {
        /// Counts sign-outs. What began before one must not sign in after it.
        var signOuts = 0
        /// The session as this client knows it, for a store that cannot be read at once.
        var session: Session?
        /// Whether this client has changed the session, so that what was stored before is of no interest.
        var isDecided = false
        /// The access token that the server refused, where nothing refreshes it: the session is over with it.
        var refusedToken: String?
    }

    init(baseURL: URL, anonKey: String, options: InsForgeClientOptions) {
        self.options = options
        key = Locked(anonKey)
        log = InsForgeLog(
            level: options.global.logLevel, destination: options.global.logDestination,
            subsystem: options.global.logSubsystem)
        setup = Result { [key, log] in
            try Self.open(baseURL: baseURL, anonKey: key, options: options, log: log)
        }
        if case .failure(let error) = setup { log(.critical, error.identityMessage) }
        restore()
    }

    deinit {
        following.withLock { $0 }?.cancel()
        broadcast.finish()
    }

    private static func open(
        baseURL: URL, anonKey: Locked<String?>, options: InsForgeClientOptions, log: InsForgeLog
    ) throws -> Project {
        let server: ServerURL
        do {
            server = try ServerURL(
                baseURL.absoluteString, allowsLoopbackHTTP: options.global.allowsLoopbackHTTP)
        } catch let error as ServerURLError {
            throw InsForgeAuthError.notConfigured(error.message)
        }
        guard !options.auth.allowsTokenCallbacks || options.auth.addsStateToRedirect != true else {
            throw InsForgeAuthError.notConfigured(
                "allowsTokenCallbacks and addsStateToRedirect cannot both be on: a page that returns with a token replaces "
                    + "the whole query, and the state with it. Turn one of them off.")
        }
        var api = InsForgeAPI(baseURL: server, anonKey: anonKey, transport: options.global.transport)
        api.clientType = options.auth.clientType
        api.headers = options.global.headers
        api.log = log
        api.retry = options.global.retry
        api.time = options.time
        let environment = IdentityEnvironment(
            store: try options.auth.storage.openStore(), transport: options.global.transport, time: options.time,
            random: options.random)
        let engine = InsForgeEngine(api: api, realm: realm, environment: environment)
        return Project(
            engine: engine,
            flows: PendingFlows(store: environment.store, prefix: "insforge-", time: options.time))
    }

    /// The project, once it is known to be usable.
    /// - Throws: ``InsForgeAuthError/notConfigured(_:)``, ``/IdentityKit/TokenStoreError``.
    func project() throws -> Project { try setup.get() }

    // MARK: The anonymous key

    var anonKey: String { key.withLock { $0 ?? "" } }

    func setAnonKey(_ newKey: String) { key.withLock { $0 = newKey } }

    // MARK: The session

    /// The session of whoever is signed in, out of the local store: no request, no waiting. Its access token may have
    /// expired; ``accessToken()`` gives one that has not.
    ///
    /// A store whose key is kept by another process, such as a Linux desktop's keyring, is read in the background when the
    /// client is made; until then, nobody is signed in here.
    public func getSession() -> Session? {
        guard let project = try? project() else { return nil }
        guard let known = try? project.sessions.immediateCredential() else {
            return state.withLock { $0.session }
        }
        return known.flatMap { usableSession($0.credential) }
    }

    /// A session that nothing refreshes is over when its access token is: when there is no refresh token, or refreshing is left
    /// to the app.
    private func usableSession(_ credential: Credential) -> Session? {
        let isRefreshed = credential.refreshToken != nil && options.auth.autoRefreshToken
        guard credential.pendingVerification == nil, isRefreshed || credential.isValid(at: options.time.now),
            state.withLock({ $0.refusedToken }) != credential.accessToken.reveal()
        else { return nil }
        return Session(credential)
    }

    /// What happens to the session of this client from now on, after what is known already: the first event is the user
    /// who was signed in when the client was made, or whatever happened last.
    public var authEvents: AsyncStream<InsForgeAuthEvent> { broadcast.stream() }

    /// Keeps the task that calls the app's listener, in place of the one before.
    func follow(_ task: Task<Void, Never>) {
        let former = following.withLock { following in
            defer { following = task }
            return following
        }
        former?.cancel()
    }

    /// Finds the session that was there before this client, at once where the store can be read at once.
    private func restore() {
        guard let project = try? project() else { return }
        if let known = try? project.sessions.immediateCredential() {
            restored(known.flatMap { usableSession($0.credential) })
            return
        }
        Task { [weak self] in
            guard let account = try? await project.sessions.lookUp().account,
                let credential = try? await project.sessions.storedCredential(of: account)
            else { return }
            self?.restored(self?.usableSession(credential))
        }
    }

    private func restored(_ session: Session?) {
        state.withLock { state in
            // A sign-in that was faster is newer.
            guard !state.isDecided, let session else { return }
            state.session = session
            broadcast.enqueue(.signedIn(session.user), isState: true)
        }
        broadcast.deliver()
    }

    // MARK: Beginning and ending

    /// The moment a sign-in began.
    struct SignInStart: Sendable {
        fileprivate let signOuts: Int
    }

    func startSignIn() -> SignInStart { SignInStart(signOuts: state.withLock { $0.signOuts }) }

    private func isUndone(_ start: SignInStart) -> Bool {
        state.withLock { $0.signOuts != start.signOuts }
    }

    /// Makes `answer` the session, in place of any other.
    /// - Throws: ``InsForgeAuthError/cancelled`` when there was a sign-out since `start`, which wins.
    func begin(_ answer: SessionAnswer, since start: SignInStart) async throws {
        let project = try project()
        let previous = try? await project.sessions.lookUp().account
        guard !isUndone(start) else { throw InsForgeAuthError.cancelled }
        let account = try await project.engine.begin(answer)
        if let previous, previous != account { try await project.sessions.end(previous) }
        guard !isUndone(start) else {
            try await project.sessions.end(account)
            throw InsForgeAuthError.cancelled
        }
        await note(account, in: project, tellsOfUser: false)
        log(.info, "somebody signed in")
        state.withLock { state in
            // A sign-out that came first was told first, and stands.
            if state.signOuts == start.signOuts { broadcast.enqueue(.signedIn(answer.user), isState: true) }
        }
        broadcast.deliver()
    }

    /// Signs the user out: here first, so that it is over even without a network; then the server is told, which forgets
    /// nothing but may one day. The tokens stay valid there until they expire, because it cannot revoke them
    /// (contract 1.7). Whatever was started and has not come back is refused from now on.
    /// - Throws: ``InsForgeAuthError/notConfigured(_:)``, ``/IdentityKit/TokenStoreError``. A server that cannot be
    ///   reached is not an error.
    public func signOut() async throws {
        state.withLock { state in
            state.signOuts += 1
            state.isDecided = true
            state.session = nil
        }
        let project = try project()
        await project.flows.forgetAll { $0.backend.hasBytes(of: project.engine.backend) }
        var ended: AccountID?
        while let account = try await project.sessions.lookUp().account {
            try await project.sessions.end(account)
            ended = account
        }
        guard let ended else { return }
        log(.info, "somebody signed out")
        broadcast.send(.signedOut, isState: true)
        await project.engine.tellServerOfEnd(of: ended)
    }

    /// The session is over, and not by a sign-out here.
    func noteEnd() {
        state.withLock { state in
            state.isDecided = true
            state.session = nil
        }
        log(.notice, "the session is over")
        broadcast.send(.signedOut, isState: true)
    }

    /// ``noteEnd()``, unless that is known already.
    func noteEndOnce() {
        let isNews = state.withLock { state in
            defer { state.session = nil }
            return state.session != nil
        }
        if isNews { noteEnd() }
    }

    /// The server refused this access token, and nothing refreshes it but the app.
    func noteRefusal(of accessToken: String) { state.withLock { $0.refusedToken = accessToken } }

    /// Keeps what ``getSession()`` says in step with the store.
    /// - Parameter tellsOfUser: whether it is news when the server describes the user otherwise than before.
    func note(_ account: AccountID, in project: Project, tellsOfUser: Bool = true) async {
        let signOuts = state.withLock { $0.signOuts }
        let session = (try? await project.sessions.storedCredential(of: account)).flatMap(usableSession)
        let before = state.withLock { state -> User? in
            // What was read before a sign-out is over.
            guard state.signOuts == signOuts else { return session?.user }
            defer {
                state.isDecided = true
                state.session = session
            }
            return state.session?.user
        }
        guard tellsOfUser, let before, let user = session?.user, user.id.hasBytes(of: before.id), user != before
        else { return }
        announceUpdate(of: user)
    }

    func announceUpdate(of user: User) { broadcast.send(.userUpdated(user), isState: true) }
}
