import Foundation
import IdentityKit

#if canImport(Combine)
import Combine
#endif

/// The state of the signed-in user for all views below `thunderIDProvider(config:)`.
@MainActor
public final class ThunderIDState {
    /// The client, for tokens and all other calls.
    public nonisolated let client: ThunderIDClient

    /// The signed-in user; `nil` if nobody is signed in, or if the user's data could not be fetched yet.
    @Published public private(set) var user: User?

    /// Whether a user is signed in; `false` until the first lookup has succeeded.
    @Published public private(set) var isSignedIn = false

    /// Whether a lookup of the user has succeeded. Until then, ``SignedIn`` and ``SignedOut`` show nothing. If there is an
    /// ``error``, they show their view for signed-out users instead.
    @Published public private(set) var isReady = false

    /// Whether ``signIn(options:)`` or ``signOut(endsBrowserSession:)`` is in progress.
    @Published public private(set) var isLoading = false

    /// The message about ``failure`` for the person, in the language of the views; `nil` without an error.
    @Published public private(set) var error: String?

    /// The error of a lookup, sign-in or sign-out, or of the client's initialization; `nil` without an error. Its
    /// message, for logs, is in English or comes from the server; show ``error`` to people.
    @Published public private(set) var failure: IAMError?

    /// The texts of the views, in the chosen language.
    @Published public private(set) var texts: ThunderIDTexts

    /// The language of the views, and the app's own texts.
    public nonisolated let i18n: ThunderIDI18n

    /// The authenticators that open pages and request passkeys.
    public nonisolated let handlers: SignInHandlers

    private let config: ThunderIDConfig?
    private let actions = ActionQueue<Action>()
    private var following: Task<Void, Never>?
    /// The sequence number of the last lookup that has started. A sign-out gets a number too.
    private var looks = 0
    /// The sequence number of the lookup or sign-out whose result is shown.
    private var shownLook = 0

    /// Creates the state of a new client, which ``start()`` initializes with `config`.
    public convenience init(
        config: ThunderIDConfig, handlers: SignInHandlers = SignInHandlers(), i18n: ThunderIDI18n? = nil
    ) {
        self.init(client: ThunderIDClient(), config: config, handlers: handlers, i18n: i18n)
    }

    /// Creates the state of a client that the app has created.
    /// - Parameters:
    ///   - client: the client.
    ///   - config: the configuration with which ``start()`` initializes the client; `nil` if the app initializes it.
    ///   - handlers: the browser and passkeys for sign-ins.
    ///   - i18n: the language and the app's own texts. With `nil`, this library's texts are shown, in the language that
    ///     the person chose before, or else in the language of the configuration.
    public init(
        client: ThunderIDClient, config: ThunderIDConfig? = nil, handlers: SignInHandlers = SignInHandlers(),
        i18n: ThunderIDI18n? = nil
    ) {
        self.client = client
        self.config = config
        self.handlers = handlers
        let i18n = i18n ?? ThunderIDI18n(config: config ?? (try? client.getConfiguration()))
        self.i18n = i18n
        texts = i18n.texts
        client.setLanguage(i18n.activeLocale)
        i18n.follow { [weak self] in self?.languageChanged(to: $0) }
    }

    /// Creates a state with a fixed user and an uninitialized client, for previews and tests of views.
    init(showing user: User?) {
        (client, config, handlers) = (ThunderIDClient(), nil, SignInHandlers())
        let i18n = ThunderIDI18n(config: nil)
        self.i18n = i18n
        texts = i18n.texts
        (self.user, isSignedIn, isReady) = (user, user != nil, true)
        i18n.follow { [weak self] in self?.languageChanged(to: $0) }
    }

    /// Changes the language of the views and of the server's texts.
    /// - Parameter locale: a BCP 47 tag.
    public func setLocale(_ locale: String) { i18n.setLocale(locale) }

    private func languageChanged(to texts: ThunderIDTexts) {
        client.setLanguage(texts.language)
        self.texts = texts
        if let failure { error = texts.text(for: failure) }
    }

    /// Publishes an error and its message, or `nil` for both.
    private func report(_ error: (any Error)?) {
        failure = error.map(IAMError.shown)
        self.error = failure.map(texts.text)
    }

    /// Initializes the client if there is a configuration and the client is not initialized yet. Then looks up the user. If
    /// the initialization fails, ``error`` has the reason, and the user is not looked up.
    public func start() async {
        if let config {
            do {
                try await client.initialize(config: config)
            } catch let failure as IAMError where failure.code == .alreadyInitialized {
                // The client is initialized already, for example because a view has reappeared. This is not an error.
            } catch {
                report(error)
                return
            }
        }
        follow()
        await refresh()
    }

    deinit { following?.cancel() }

    /// Repeats the lookup after every sign-in, sign-out or end of a session, also in another window, client or process.
    private func follow() {
        guard following == nil else { return }
        let look: @MainActor @Sendable () async -> Void = { [weak self] in await self?.look() }
        following = try? client.followSessions(look)
    }

    /// Looks up the user, but keeps an earlier error on the screen, which a successful ``refresh()`` would remove.
    private func look() async {
        let former = failure
        await refresh()
        if failure == nil, let former { report(former) }
    }

    /// Starts again if the first start failed, for example because the device was locked, and looks up the user again if
    /// their data could not be fetched. Call it when the app becomes active; `thunderIDProvider(config:)` does.
    public func recover() async {
        if isReady {
            if isSignedIn, user == nil { await refresh() }
        } else if error != nil {
            await start()
        }
    }

    /// Looks up the user, and publishes the result.
    ///
    /// - If the session has expired, nobody is signed in. There is no ``error``.
    /// - If a user is signed in, but their data cannot be fetched for now, ``user`` keeps its value. It becomes `nil` if
    ///   another person has signed in. There is no ``error``.
    /// - After any other failure, ``user`` and ``isSignedIn`` keep their values, and ``error`` has the reason.
    /// - A cancellation changes nothing.
    public func refresh() async {
        looks += 1
        let look = looks
        do {
            let isSignedIn = try await client.isSignedIn()
            let user = isSignedIn ? try await currentUser() : nil
            show(isSignedIn, user, of: look)
        } catch let failure as IAMError where failure.code == .sessionExpired {
            show(false, nil, of: look)
        } catch is CancellationError {
            // Ignore a cancellation, such as when the view has disappeared.
        } catch {
            if look > shownLook { report(error) }
        }
    }

    /// Publishes the result of a lookup, unless the result of a later lookup has already been published.
    private func show(_ isSignedIn: Bool, _ user: User?, of look: Int) {
        guard look > shownLook else { return }
        shownLook = look
        (self.isSignedIn, self.user, isReady) = (isSignedIn, user, true)
        report(nil)
    }

    /// Returns the client's user. After a transient error, such as a missing network connection, returns the published
    /// ``user``, or `nil` if the session belongs to another person.
    private func currentUser() async throws -> User? {
        do {
            return try await client.getUser()
        } catch let failure as IAMError where failure.failureClass == .transient {
            let subject = try await client.signedInSubject()
            return user.flatMap { $0.sub.hasBytes(of: subject) ? $0 : nil }
        }
    }

    private enum Action: Equatable {
        case signIn(SignInOptions?)
        case signOut(endsBrowserSession: Bool)
    }

    /// Signs in on the server's page in a browser, and looks up the user. Closing the page is not an error; after any
    /// other failure, ``error`` has the reason.
    public func signIn(options: SignInOptions? = nil) async {
        await perform(.signIn(options)) { [client, handlers] in
            try await client.signInWithBrowser(options: options, browser: handlers.webAuthenticator)
        }
    }

    /// Ends the session in the app, and then revokes its tokens at the server. The state changes as soon as the session has
    /// ended in the app. Usually the person can then sign in again at once. While a page of the server is open, a sign-in waits
    /// until that page is closed.
    /// - Parameter endsBrowserSession: whether to also end the server's session in the person's browser, with a page of the
    ///   server. If the page's address cannot be determined, the browser's session stays, and ``error`` has the reason. If the
    ///   server has no such page, or the app has no browser, the browser's session also stays, but without an error.
    public func signOut(endsBrowserSession: Bool = false) async {
        await signOut(endsBrowserSession: endsBrowserSession, then: nil)
    }

    /// Signs out, and calls `complete` as soon as the session has ended in the app. Does not call `complete` if that
    /// fails, or if the same sign-out is already in progress.
    func signOut(endsBrowserSession: Bool = false, then complete: (() -> Void)?) async {
        let revocation = Locked<Task<String, any Error>?>(nil)
        await perform(.signOut(endsBrowserSession: endsBrowserSession)) { [self] in
            var (page, problem): (URL?, (any Error)?)
            if endsBrowserSession {
                do {
                    page = try await client.signOutURL()
                } catch let error where !(error is CancellationError) {
                    problem = error
                }
            }
            let rest = try await Task.untilOver { [client] in try await client.signOut(onceOver: $0) }
            revocation.withLock { $0 = rest }
            looks += 1
            show(false, nil, of: looks)
            complete?()
            if let problem { throw problem }
            guard let page, let browser = handlers.webAuthenticator, let target = URL(string: try await rest.value)
            else { return }
            _ = try await browser.authenticate(WebAuthenticationRequest(url: page, redirectURI: target))
        }
        _ = await revocation.withLock { $0 }?.result
    }

    /// Runs an action, then looks up the user and publishes the action's error. Actions run one at a time: an action
    /// that equals the last waiting or running action joins it, and any other action waits.
    private func perform(_ action: Action, _ body: @escaping @MainActor () async throws -> Void) async {
        isLoading = true
        await actions.perform(action) { [self] in
            var problem: (any Error)?
            do {
                try await body()
            } catch is CancellationError {
                // Closing the page or cancelling the task is not an error.
            } catch {
                problem = error
            }
            await refresh()
            if let problem { report(problem) }
        }
        isLoading = actions.isBusy
    }
}

#if canImport(Combine)
extension ThunderIDState: ObservableObject {}
#endif
