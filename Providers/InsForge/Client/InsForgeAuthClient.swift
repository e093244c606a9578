import Foundation
import IdentityKit
import IdentityOAuth

/// Accounts, sign-in and the session of one project.
///
/// One user is signed in at a time. The session is in the shared store: it survives a restart, and an ``InsForgeProvider``
/// named `insforge` with the same store and address has the same session.
///
/// Every method throws ``InsForgeAuthError`` for a failure of the server or the network, `TokenStoreError` for one of the
/// store, and `CancellationError` when its task is cancelled.
public final class InsForgeAuthClient: Sendable {
    static let realm = "insforge"

    /// What a client uses once its address and store are known to be usable.
    struct Project: Sendable {
        let engine: InsForgeEngine
        let flows: PendingFlows
        /// Takes over what InsForge's own SDK has kept.
        let firstLook: FirstLook?
        let formerCopy: FormerCopy
        let callbacks: HandledCallbacks<AuthResponse>

        var api: InsForgeAPI { engine.api }
        var sessions: ProviderSessions { engine.sessions }
    }

    let options: InsForgeClientOptions
    let log: InsForgeLog

    let baseURL: URL
    private let key: Locked<String?>
    private let setup: Result<Project, any Error>
    private let state = Locked(State())
    private let broadcast = Broadcaster<InsForgeAuthEvent>()
    private let following = Locked<Task<Void, Never>?>(nil)
    private let followingStore = Locked<Task<Void, Never>?>(nil)

    private struct State: Sendable {
        /// Counts sign-outs. A sign-in that began before one must not complete after it.
        var signOuts = 0
        /// The last known session, for a store that cannot be read immediately.
        var session: Session?
        /// The session that the app was told of last.
        var told: SessionNumber?
        /// The session of the last event about a sign-in.
        var announced: SessionNumber?
        /// Whether the last event was the end of a session.
        var saysSignedOut = false
        /// The number of sign-outs that are not over here yet.
        var endings = 0
        /// Whether this client has changed the session, so that the session restored from the store is out of date.
        var isDecided = false
        /// The access token that the server refused, where it is not refreshed: the session has ended with it.
        var refusedToken: String?
    }

    init(baseURL: URL, anonKey: String, options: InsForgeClientOptions) {
        self.options = options
        self.baseURL = baseURL
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
        followingStore.withLock { $0 }?.cancel()
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
        let environment: IdentityEnvironment
        do {
            environment = try IdentityEnvironment(
                store: options.auth.storage.openStore(), transport: options.global.transport, time: options.time,
                random: options.random
            ).trusting(options.global.trustedCertificates)
        } catch let error as TrustedCertificatesError {
            throw InsForgeAuthError.notConfigured(error.message)
        }
        var api = InsForgeAPI(baseURL: server, anonKey: anonKey, transport: environment.transport)
        api.clientType = options.auth.clientType
        api.headers = options.global.headers
        api.log = log
        api.retry = options.global.retry
        api.time = options.time
        let engine = InsForgeEngine(api: api, realm: realm, environment: environment)
        let copy = FormerCopy()
        return Project(
            engine: engine,
            flows: PendingFlows(store: environment.store, prefix: "insforge-", time: options.time),
            firstLook: firstLook(for: engine, options: options, leaving: copy), formerCopy: copy,
            callbacks: HandledCallbacks(keepsLatest: true, time: options.time))
    }

    /// The project, once it is known to be usable.
    /// - Throws: ``InsForgeAuthError/notConfigured(_:)``, ``/IdentityCore/TokenStoreError``.
    func project() throws -> Project { try setup.get() }

    var anonKey: String { key.withLock { $0 ?? "" } }

    func setAnonKey(_ newKey: String) { key.withLock { $0 = newKey } }

    /// The session in the local store, without a request or waiting. Its access token may have expired; ``accessToken()``
    /// returns one that has not.
    ///
    /// A store whose key another process keeps, such as a Linux desktop's keyring, is read in the background when the client
    /// is made; until then this is `nil`.
    public func getSession() -> Session? {
        guard let project = try? project() else { return nil }
        guard let known = try? project.sessions.immediateCredential() else {
            return state.withLock { $0.session }
        }
        // Until it is stored here, the session that is being taken over is known to this client alone.
        guard known != nil || project.firstLook?.isDone ?? true else { return state.withLock { $0.session } }
        return known.flatMap { known in
            let session = usableSession(known.credential)
            if session != nil { state.withLock { $0.told = known.credential.session(of: known.account) } }
            return session
        }
    }

    /// The session that the app was told of last, by an event, by ``getSession()`` or by a sign-in. A write for the user on a
    /// screen is refused once another one has begun: ``setProfile(_:of:)-([String:JSONValue],_)``.
    public var sessionNumber: SessionNumber? { state.withLock { $0.told } }

    /// A session that is not refreshed automatically ends with its access token.
    func usableSession(_ credential: Credential) -> Session? {
        let isRefreshed = credential.refreshToken != nil && options.auth.autoRefreshToken
        guard credential.pendingVerification == nil, isRefreshed || credential.isValid(at: options.time.now),
            state.withLock({ $0.refusedToken }) != credential.accessToken.reveal()
        else { return nil }
        return Session(credential)
    }

    /// The changes of this client's session. The first event is the last one before: the user who was signed in when the
    /// client was made, or a later change.
    package var authEvents: AsyncStream<InsForgeAuthEvent> {
        followStore()
        return broadcast.stream()
    }

    /// Follows other clients and processes with the same store, once somebody listens.
    private func followStore() {
        guard let project = try? project() else { return }
        followingStore.withLock { task in
            guard task == nil else { return }
            let changes = project.engine.environment.store.currentAccountChanges()
            task = Task { [weak self] in
                for await change in changes where change.isAboutCurrent(of: [project.sessions.realm]) {
                    await self?.lookAgain(in: project)
                }
            }
        }
    }

    private func lookAgain(in project: Project) async {
        let before = state.withLock { $0 }
        guard before.endings == 0, let lookup = try? await project.sessions.lookUp() else { return }
        if let account = lookup.account {
            await note(account, in: project, since: before.signOuts)
        } else if state.withLock({ $0.told == before.told && $0.announced == before.announced }) {
            noteEndOnce()
        }
    }

    /// Replaces the task that calls the app's listener.
    func follow(_ task: Task<Void, Never>) {
        let former = following.withLock { following in
            defer { following = task }
            return following
        }
        former?.cancel()
    }

    /// Finds the stored session, immediately where the store can be read immediately.
    private func restore() {
        guard let project = try? project() else { return }
        let known = try? project.sessions.immediateCredential()
        let stored = known.flatMap { $0 }.flatMap { usableSession($0.credential) }
        if stored != nil, let known = known.flatMap({ $0 }) {
            state.withLock { $0.told = known.credential.session(of: known.account) }
        }
        let former = known != nil && stored == nil ? pendingSession(in: project) : nil
        restored(former ?? stored)
        guard known == nil || project.firstLook?.isDone == false else { return }
        Task { [weak self] in
            try? await project.finishFirstLook()
            guard stored == nil else { return }
            var found: Credential?
            if let account = try? await project.sessions.lookUp().account {
                found = try? await project.sessions.storedCredential(of: account)
                self?.state.withLock { if !$0.isDecided { $0.told = found?.session(of: account) } }
            }
            self?.restored(found.flatMap { self?.usableSession($0) }, after: former)
        }
    }

    /// - Parameter former: what was told of the session before it was taken over.
    private func restored(_ session: Session?, after former: Session? = nil) {
        if session == nil, former != nil, !state.withLock({ $0.isDecided }) { noteEndOnce() }
        state.withLock { state in
            // A sign-in meanwhile is newer.
            guard !state.isDecided, let session else { return }
            state.session = session
            guard former == nil else { return }
            (state.announced, state.saysSignedOut) = (state.told, false)
            broadcast.enqueue(.signedIn(session.user), isState: true)
        }
        broadcast.deliver()
    }

    struct SignInStart: Sendable {
        fileprivate let signOuts: Int
    }

    func startSignIn() -> SignInStart { SignInStart(signOuts: state.withLock { $0.signOuts }) }

    private func isUndone(_ start: SignInStart) -> Bool {
        state.withLock { $0.signOuts != start.signOuts }
    }

    /// Signs in with the session that `request` opens.
    /// - Throws: ``InsForgeAuthError/cancelled`` when there was a sign-out meanwhile.
    func openSession(
        _ request: (InsForgeAPI) async throws -> SessionResponse
    ) async throws -> SessionResponse {
        let start = startSignIn()
        let project = try project()
        let session = try await request(project.api)
        try await begin(session, since: start)
        project.callbacks.forget()
        return session
    }

    /// Replaces the session by `session`.
    /// - Throws: ``InsForgeAuthError/cancelled`` when there was a sign-out since `start`.
    func begin(_ session: SessionResponse, since start: SignInStart) async throws {
        let project = try project()
        try? await project.finishFirstLook()
        let previous = try? await project.sessions.lookUp().account
        guard !isUndone(start) else { throw InsForgeAuthError.cancelled }
        let account = try await project.engine.begin(session)
        if let previous, previous != account { try await project.sessions.end(previous) }
        guard !isUndone(start) else {
            try await project.sessions.end(account)
            throw InsForgeAuthError.cancelled
        }
        await note(account, in: project, tellsOfUser: false)
        log(.info, "signed in")
        state.withLock { state in
            // A sign-out meanwhile was announced already, and wins.
            // The follower of the store may have announced it already.
            guard state.signOuts == start.signOuts, state.announced == nil || state.announced != state.told else {
                return
            }
            (state.announced, state.saysSignedOut) = (state.told, false)
            broadcast.enqueue(.signedIn(session.user), isState: true)
        }
        broadcast.deliver()
    }

    /// Signs the user out: here first, also without a network, and then at the server. Today's servers cannot revoke
    /// tokens, which stay valid until they expire. Callbacks of earlier flows are refused from now on.
    /// - Throws: ``InsForgeAuthError/notConfigured(_:)``, ``/IdentityCore/TokenStoreError``. A server that cannot be
    ///   reached is not an error.
    public func signOut() async throws {
        state.withLock { state in
            state.signOuts += 1
            state.endings += 1
            state.isDecided = true
            (state.session, state.told, state.announced) = (nil, nil, nil)
        }
        let isOver = Locked(false)
        let over = { [state] in
            isOver.withLock { isOver in
                if !isOver { state.withLock { $0.endings -= 1 } }
                isOver = true
            }
        }
        defer { over() }
        let project = try project()
        project.callbacks.forget()
        await project.flows.forgetAll { $0.backend.hasBytes(of: project.engine.backend) }
        let ended = try await endSessions(of: project)
        await project.formerCopy.remove(in: project.sessions)
        over()
        guard let ended else { return }
        log(.info, "signed out")
        tellEnd()
        await project.engine.tellServerOfEnd(of: ended)
    }

    /// - Returns: the account that was signed in.
    private func endSessions(of project: Project) async throws -> AccountID? {
        var ended: AccountID?
        do {
            try await project.finishFirstLook()
            while let account = try await project.sessions.lookUp().account {
                try await project.sessions.end(account)
                ended = account
            }
        } catch {
            let sealed = try await project.engine.environment.store.onlySealedAccount(because: error) {
                $0.realm.hasBytes(of: project.sessions.realm)
            }
            guard let sealed else { return ended }
            try await project.sessions.end(sealed)
            return sealed
        }
        return ended
    }

    /// The session has ended without a sign-out here.
    func noteEnd() {
        state.withLock { state in
            state.isDecided = true
            (state.session, state.told, state.announced) = (nil, nil, nil)
        }
        log(.notice, "the session has ended")
        tellEnd()
    }

    /// Announces that nobody is signed in, unless that was announced already or somebody has signed in meanwhile.
    private func tellEnd() {
        state.withLock { state in
            guard !state.saysSignedOut, state.announced == nil else { return }
            state.saysSignedOut = true
            broadcast.enqueue(.signedOut, isState: true)
        }
        broadcast.deliver()
    }

    func noteEndOnce() {
        let isNews = state.withLock { state in
            defer { state.session = nil }
            return state.session != nil
        }
        if isNews { noteEnd() }
    }

    /// The server refused this access token, which only the app refreshes.
    func noteRefusal(of accessToken: String) { state.withLock { $0.refusedToken = accessToken } }

    /// Updates the session of ``getSession()`` from the store.
    /// - Parameters:
    ///   - account: whose session it is.
    ///   - project: the project.
    ///   - tellsOfUser: whether a new description of the user, or another user, is announced.
    ///   - signOuts: the number of sign-outs before the account was found; by default those until now.
    func note(
        _ account: AccountID, in project: Project, tellsOfUser: Bool = true, since signOuts: Int? = nil
    ) async {
        let signOuts = signOuts ?? state.withLock { $0.signOuts }
        let stored = try? await project.sessions.storedCredential(of: account)
        await project.formerCopy.settle(account, stored, in: project.sessions)
        let session = stored.flatMap(usableSession)
        let before = state.withLock { state -> User? in
            // A sign-out meanwhile wins.
            guard state.signOuts == signOuts else { return session?.user }
            let former = state.session?.user
            state.isDecided = true
            state.session = session
            guard let session, let number = stored?.session(of: account) else { return former }
            // A session that is being taken over is announced before it has a number.
            let isAnother = state.announced.map { $0 != number } ?? (former?.id.hasBytes(of: session.user.id) != true)
            state.told = number
            guard tellsOfUser, isAnother else { return former }
            (state.announced, state.saysSignedOut) = (number, false)
            broadcast.enqueue(.signedIn(session.user), isState: true)
            return nil
        }
        broadcast.deliver()
        guard tellsOfUser, let before, let user = session?.user, user.id.hasBytes(of: before.id), user != before
        else { return }
        announceUpdate(of: user)
    }

    func announceUpdate(of user: User) { broadcast.send(.userUpdated(user), isState: true) }
}
