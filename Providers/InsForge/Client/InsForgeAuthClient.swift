import Foundation
import IdentityKit
import IdentityOAuth

/// Accounts, sign-in and the session of one project.
///
/// One user is signed in at a time. The session is in the token store, and survives a restart unless the store is in
/// memory. An ``InsForgeProvider`` named `insforge` with the same store and base URL uses this session too.
///
/// Every throwing method throws an ``InsForgeAuthError``, or `CancellationError` when its task is cancelled.
public final class InsForgeAuthClient: Sendable {
    static let realm = "insforge"

    /// The parts of a client that exist only with a valid configuration and a usable store.
    struct Project: Sendable {
        let engine: InsForgeEngine
        let flows: PendingFlows
        /// Imports a session that InsForge's own SDK has stored; `nil` if the option `takesOverSession` is off.
        let importOnce: ImportOnce?
        let formerCopy: FormerCopy
        let callbacks: HandledCallbacks<AuthResponse>

        var api: InsForgeAPI { engine.api }
        var sessions: ProviderSessions { engine.sessions }
    }

    let options: InsForgeClientOptions
    let log: InsForgeLog

    let baseURL: URL
    private let key: Locked<String?>
    private let setup: Locked<Result<Project, any Error>>
    private let state = Locked(State())
    private let broadcast = Broadcaster<InsForgeAuthEvent>()
    private let following = Locked<Task<Void, Never>?>(nil)
    private let followingStore = Locked<Task<Void, Never>?>(nil)

    /// A point in the sequence of sign-ins, sign-outs and announced changes, recorded when a call begins. The point shows later
    /// whether the result of the call is outdated.
    typealias Moment = CurrentSession<Session>.Moment

    private struct State: Sendable {
        /// The session that this client last announced to listeners or showed to the app.
        var current = CurrentSession<Session>()
        /// The access token that the server refused last, in a client without automatic refresh. A session with this token
        /// counts as ended until the server accepts the token.
        var refusedToken: String?
    }

    init(baseURL: URL, anonKey: String, options: InsForgeClientOptions) {
        self.options = options
        self.baseURL = baseURL
        key = Locked(anonKey)
        log = InsForgeLog(
            level: options.global.logLevel, destination: options.global.logDestination,
            subsystem: options.global.logSubsystem)
        let opened: Result<Project, any Error> = Result { [key, log] in
            try Self.open(baseURL: baseURL, anonKey: key, options: options, log: log)
        }
        setup = Locked(opened)
        switch opened {
        case .success(let project): restore(project)
        case .failure(let error): log(.critical, error.identityMessage)
        }
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
            importOnce: importOnce(for: engine, options: options, leaving: copy), formerCopy: copy,
            callbacks: HandledCallbacks(keepsLatest: true, time: options.time))
    }

    /// Returns the parts of the client. If the store could not be opened because of a transient error, tries again to open it.
    /// - Throws: ``InsForgeAuthError/notConfigured(_:)``, or the error of opening the store.
    func project() throws -> Project {
        do {
            return try setup.withLock { $0 }.get()
        } catch let error as TokenStoreError where error.failureClass == .transient {
            let opened = try Self.open(baseURL: baseURL, anonKey: key, options: options, log: log)
            // A concurrent call may have opened the store meanwhile.
            let (project, isFirst) = setup.withLock { setup -> (Project, Bool) in
                if case .success(let project) = setup { return (project, false) }
                setup = .success(opened)
                return (opened, true)
            }
            if isFirst {
                restore(project)
                followStore()
            }
            return project
        }
    }

    /// Runs a call, and converts its errors to ``InsForgeAuthError``, except for a cancellation.
    func perform<Value>(_ call: (Project) async throws -> Value) async throws -> Value {
        do {
            return try await call(project())
        } catch {
            throw InsForgeAuthError.documented(error)
        }
    }

    var anonKey: String { key.withLock { $0 ?? "" } }

    func setAnonKey(_ newKey: String) { key.withLock { $0 = newKey } }

    /// Returns the session in the local store, without a request or waiting; `nil` if no user is signed in, the session
    /// has ended, or its access token is not verified yet. The access token may have expired; use ``accessToken()`` for
    /// a valid one.
    ///
    /// If another process keeps the store's key, such as a Linux desktop's keyring, the store is read in the background after
    /// the client is made. Until it has been read, the result is `nil`.
    public func getSession() -> Session? {
        guard let project = try? project() else { return nil }
        guard let known = try? project.sessions.immediateCredential() else {
            return state.withLock { $0.current.known }
        }
        // A session that is being imported is not stored yet, so only this client knows it.
        guard known != nil || project.importOnce?.isDone ?? true else { return state.withLock { $0.current.known } }
        return known.flatMap { known in
            let session = usableSession(known.credential)
            if session != nil { state.withLock { $0.current.show(known.credential.session(of: known.account)) } }
            return session
        }
    }

    /// The number of the session that the app learned of last, by an event, ``getSession()`` or a sign-in. The session
    /// may have ended. `nil` before the first session. Pass the number to ``setProfile(_:of:)-([String:JSONValue],_)``.
    /// If another session has begun by then, that function changes nothing.
    public var sessionNumber: SessionNumber? { state.withLock { $0.current.shown } }

    /// The current ``Moment``, to be recorded when a call begins.
    var now: Moment { state.withLock { $0.current.now } }

    /// Returns the session of a credential; `nil` if the access token is not verified yet, was refused by the server, or
    /// has expired and is not refreshed automatically. Also `nil` if the credential names no user.
    func usableSession(_ credential: Credential) -> Session? {
        let isRefreshed = credential.refreshToken != nil && options.auth.autoRefreshToken
        guard credential.pendingVerification == nil, isRefreshed || credential.isValid(at: options.time.now),
            state.withLock({ $0.refusedToken }) != credential.accessToken.reveal()
        else { return nil }
        return Session(credential)
    }

    /// The changes of this client's session. A new stream begins with the latest change, if there is one: the user who
    /// was signed in when the client was made, or a later change.
    package var authEvents: AsyncStream<InsForgeAuthEvent> {
        followStore()
        return broadcast.stream()
    }

    /// Starts to observe the changes that other clients and processes make in the same store. Does nothing if they are observed
    /// already, or if the store cannot be opened.
    private func followStore() {
        guard let project = try? project() else { return }
        followingStore.withLock { task in
            guard task == nil else { return }
            task = project.engine.environment.store.followCurrent {
                $0.isAboutCurrent(of: [Self.realm])
            } look: { [weak self] in
                await self?.lookAgain(in: project)
            }
        }
    }

    private func lookAgain(in project: Project) async {
        while let moment = state.withLock({ $0.current.mayLook() ? $0.current.now : nil }) {
            // Read this before the look-up, because an import may end during the look-up. An import stores the current account
            // first and the session later. Until then, the look-up finds no session.
            let isImported = project.importOnce?.isDone ?? true
            guard let lookup = try? await project.sessions.lookUp() else { return }
            guard let account = lookup.account else {
                // During an import, the announced session is not stored yet and has no number. Its absence from the store is
                // not the end of the session.
                guard isImported || state.withLock({ $0.current.session != nil }) else { return }
                if noteEnd(since: moment) { return }
                continue
            }
            if await note(account, in: project, since: moment) { return }
        }
    }

    /// Keeps the task that calls the app's listener, and cancels the previous one.
    func follow(_ task: Task<Void, Never>) {
        let former = following.withLock { following in
            defer { following = task }
            return following
        }
        former?.cancel()
    }

    /// Restores the stored session: at once if the store can be read without waiting, and otherwise in the background. After a
    /// transient failure, tries again for up to a day, with growing pauses.
    private func restore(_ project: Project) {
        let known = try? project.sessions.immediateCredential()
        let stored = known.flatMap { $0 }
        let session = stored.flatMap { usableSession($0.credential) }
        if let session = session ?? (known == nil ? nil : pendingSession(in: project)) {
            state.withLock { state in
                state.current.report(session, of: stored.flatMap { $0.credential.session(of: $0.account) })
                broadcast.enqueue(.signedIn(session.user), isState: true)
            }
            broadcast.deliver()
        }
        guard known == nil || project.importOnce?.isDone == false else { return }
        let moment = now
        Task { [weak self, time = options.time] in
            guard session == nil else {
                try? await project.finishFirstLook()
                return
            }
            // After a transient failure, such as a locked store, it is unknown who is signed in, so try again.
            let lookup = try? await Backoff.result(
                within: .seconds(86_400), from: .seconds(1), to: .seconds(60),
                whereErrorPasses: { error, _ in self != nil && error.identityFailureClass == .transient },
                pausing: { try await time.sleep(for: $0) }
            ) { () async throws -> AccountLookup? in
                try await project.finishFirstLook()
                return try await project.sessions.lookUp()
            }
            guard let lookup else { return }
            if let account = lookup.account {
                await self?.note(account, in: project, since: moment)
            } else {
                // If a pending session was announced above, its import has failed.
                self?.noteEnd(since: moment)
            }
        }
    }

    private func isUndone(_ start: Moment) -> Bool { state.withLock { $0.current.hasSignedOut(since: start) } }

    /// Signs in with the session that `request` opens.
    /// - Throws: ``InsForgeAuthError/cancelled`` if there was a sign-out in the meantime, or the error of `request` or
    ///   the store.
    func openSession(
        _ request: (InsForgeAPI) async throws -> SessionResponse
    ) async throws -> SessionResponse {
        let start = now
        let project = try project()
        let session = try await request(project.api)
        try await begin(session, since: start)
        project.callbacks.forget()
        return session
    }

    /// Replaces the current session by `session`.
    /// - Throws: ``InsForgeAuthError/cancelled`` if there was a sign-out since `start`, or the error of the token check
    ///   or the store.
    func begin(_ session: SessionResponse, since start: Moment) async throws {
        let project = try project()
        try? await project.finishFirstLook()
        let previous = try await replaceableAccount(in: project)
        guard !isUndone(start) else { throw InsForgeAuthError.cancelled }
        let account = try await project.engine.begin(session)
        if let previous, previous != account {
            do {
                try await project.sessions.end(previous)
            } catch {
                // End the new session too. If both stayed stored, the app would act as the former user as soon as the new
                // session ends.
                _ = try? await project.sessions.end(account)
                throw error
            }
        }
        guard !isUndone(start) else {
            try await project.sessions.end(account)
            throw InsForgeAuthError.cancelled
        }
        await note(account, in: project, since: start, as: session.user, isSignIn: true)
        log(.info, "signed in")
    }

    /// Returns the account whose session a new one replaces; `nil` if nobody is signed in, or if the store cannot be read
    /// because of a lasting failure.
    /// - Throws: `CancellationError`, or an error of the store that may pass. With `nil` instead of this error, the former user
    ///   would stay signed in.
    private func replaceableAccount(in project: Project) async throws -> AccountID? {
        do {
            return try await project.sessions.lookUp().account
        } catch let error as TokenStoreError where error.isAboutContent || error.failureClass == .definitive {
            return nil
        }
    }

    /// Signs the user out: first on this device, even without a network, and then at the server. The tokens stay valid until
    /// they expire, because current servers cannot revoke them. Callbacks of earlier flows are refused from now on.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`. A server that cannot be reached is not an error.
    public func signOut() async throws {
        let moment = state.withLock { $0.current.beginEnding() }
        defer { finishEnding(moment) }
        try await perform { try await endSession(of: $0, moment) }
    }

    private func endSession(of project: Project, _ moment: Moment) async throws {
        project.callbacks.forget()
        await project.flows.forgetAll { $0.backend.hasBytes(of: project.engine.backend) }
        let ended = try await endSessions(of: project)
        await project.formerCopy.remove(in: project.sessions)
        state.withLock { state in
            // Report nothing if a sign-in has begun another session since `moment`, perhaps of the same person.
            guard !state.current.hasSignedIn(since: moment),
                state.current.known != nil || ended != nil && state.current.isNow(moment)
            else { return }
            state.current.report(nil, of: nil)
            broadcast.enqueue(.signedOut, isState: true)
        }
        broadcast.deliver()
        finishEnding(moment)
        guard let ended else { return }
        log(.info, "signed out")
        await project.engine.sendEnd(of: ended)
    }

    private func finishEnding(_ moment: Moment) {
        guard state.withLock({ $0.current.finishEnding(moment) }), let project = try? project() else { return }
        Task { [weak self] in await self?.lookAgain(in: project) }
    }

    /// Ends the sessions of this client's realm in the store.
    /// - Returns: the account whose session ended last; `nil` if nobody was signed in.
    private func endSessions(of project: Project) async throws -> AccountID? {
        var ended: AccountID?
        do {
            try await project.finishFirstLook()
            var newest: Date?
            while let account = try await project.sessions.lookUp().account {
                let signedInAt = try? await project.sessions.storedCredential(of: account)?.signedInAt
                // Keep a session that began after the first session that this loop ended, because a newer sign-in has opened
                // it.
                if let newest, let signedInAt, signedInAt > newest { break }
                newest = newest ?? signedInAt
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

    /// Announces that a session has ended without a sign-out of this client, if listeners know the session.
    /// - Parameters:
    ///   - account: the account of the session; `nil` for the current session at `moment`.
    ///   - moment: the moment at which the call that noticed the end began.
    /// - Returns: `false` if a later change makes the end obsolete.
    @discardableResult
    func noteEnd(of account: AccountID? = nil, since moment: Moment) -> Bool {
        let isNews: Bool? = state.withLock { state in
            let current = state.current
            guard !current.hasSignedOut(since: moment),
                account.map({ current.isStill($0, since: moment) }) ?? current.isNow(moment)
            else { return nil }
            guard current.known != nil else { return false }
            state.current.report(nil, of: nil)
            broadcast.enqueue(.signedOut, isState: true)
            return true
        }
        if isNews == true { log(.notice, "the session has ended") }
        broadcast.deliver()
        return isNews != nil
    }

    /// Records that the server refused this access token, in a client without automatic refresh.
    func noteRefusal(of accessToken: String) { state.withLock { $0.refusedToken = accessToken } }

    /// Records that the server accepted this access token, even if it refused the token before.
    func noteAcceptance(of accessToken: String) {
        state.withLock { $0.refusedToken = $0.refusedToken == accessToken ? nil : $0.refusedToken }
    }

    /// Announces the stored session, if listeners do not know it or its user has changed. Does nothing after a later
    /// change.
    /// - Parameters:
    ///   - account: the account of the session.
    ///   - project: the project.
    ///   - moment: the moment at which the call that found the account began.
    ///   - user: the user as the server described them; `nil` for the stored description.
    ///   - isSignIn: whether this client has just begun the session by a sign-in.
    /// - Returns: `false` if a later change makes the announcement obsolete.
    @discardableResult
    func note(
        _ account: AccountID, in project: Project, since moment: Moment, as user: User? = nil, isSignIn: Bool = false
    ) async -> Bool {
        let stored = try? await project.sessions.storedCredential(of: account)
        await project.formerCopy.settle(account, stored, in: project.sessions)
        guard let stored, let session = usableSession(stored), let number = stored.session(of: account) else {
            return true
        }
        let isCurrent = state.withLock { state in
            guard !state.current.hasSignedOut(since: moment),
                isSignIn || state.current.isStill(account, since: moment)
            else { return false }
            let former = state.current.known?.user
            // A session that is being imported is announced before it has a number. In this case, compare the users instead.
            let isKnown =
                state.current.session.map { $0 == number } ?? (former?.id.hasBytes(of: session.user.id) == true)
            if !isKnown {
                broadcast.enqueue(.signedIn(user ?? session.user), isState: true)
            } else if !isSignIn, user != nil || former != session.user {
                broadcast.enqueue(.userUpdated(user ?? session.user), isState: true)
            }
            if isKnown, !isSignIn {
                state.current.update(session, of: number)
            } else {
                state.current.report(session, of: number, isSignIn: isSignIn)
            }
            return true
        }
        broadcast.deliver()
        return isCurrent
    }
}
