import Foundation
import IdentityKit

#if canImport(Combine)
import Combine
#endif

/// The signed-in user for all views below `thunderIDProvider(config:)`.
@MainActor
public final class ThunderIDState {
    /// The client, for tokens and everything else.
    public nonisolated let client: ThunderIDClient

    /// The signed-in user; `nil` without one, or when the server could not be reached yet.
    @Published public private(set) var user: User?

    /// Whether a user is signed in.
    @Published public private(set) var isSignedIn = false

    /// Whether it is known yet who is signed in. Until then neither of the guards shows anything.
    @Published public private(set) var isReady = false

    /// Whether a redirect sign-in or a sign-out is under way.
    @Published public private(set) var isLoading = false

    /// The error in words for the person; `nil` when nothing did.
    @Published public private(set) var error: String?

    /// The error; `nil` when nothing went wrong. Its text is English, for logs; ``error`` is for the person.
    @Published public private(set) var failure: IAMError?

    /// The texts of the views, in the chosen language.
    @Published public private(set) var texts: ThunderIDTexts

    /// The language of the views, and the app's own texts.
    public nonisolated let i18n: ThunderIDI18n

    /// Functions that steps may need beside fields and buttons.
    public nonisolated let handlers: SignInHandlers

    private let config: ThunderIDConfig?
    private let actions = ActionQueue<Action>()
    private var following: Task<Void, Never>?
    /// The number of looks that have begun.
    private var looks = 0
    /// The look that is shown.
    private var shownLook = 0

    /// The state of a client that is set up with `config`.
    public convenience init(
        config: ThunderIDConfig, handlers: SignInHandlers = SignInHandlers(), i18n: ThunderIDI18n? = nil
    ) {
        self.init(client: ThunderIDClient(), config: config, handlers: handlers, i18n: i18n)
    }

    /// The state of a client.
    /// - Parameters:
    ///   - client: the client.
    ///   - config: sets the client up; `nil` for one that is set up already.
    ///   - handlers: what a sign-in may use.
    ///   - i18n: the language and the app's own texts; `nil` for the language of `config`, or what the person chose.
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

    /// A state that nobody changes, for previews and tests of what is shown.
    init(showing user: User?) {
        (client, config, handlers) = (ThunderIDClient(), nil, SignInHandlers())
        let i18n = ThunderIDI18n(config: nil)
        self.i18n = i18n
        texts = i18n.texts
        (self.user, isSignedIn, isReady) = (user, user != nil, true)
        i18n.follow { [weak self] in self?.languageChanged(to: $0) }
    }

    /// Changes the language of the views, and of what the server is asked for.
    /// - Parameter locale: a BCP 47 tag.
    public func setLocale(_ locale: String) { i18n.setLocale(locale) }

    private func languageChanged(to texts: ThunderIDTexts) {
        client.setLanguage(texts.language)
        self.texts = texts
        if let failure { error = texts.text(for: failure) }
    }

    /// Says what went wrong, or that nothing did.
    private func report(_ error: (any Error)?) {
        failure = error.map(IAMError.shown)
        self.error = failure.map(texts.text)
    }

    /// Sets the client up and looks who is signed in. A second call only looks.
    public func start() async {
        if let config {
            do {
                try await client.initialize(config: config)
            } catch let failure as IAMError where failure.code == .alreadyInitialized {
                // A view that comes back starts its state once more.
            } catch {
                report(error)
                return
            }
        }
        follow()
        await refresh()
    }

    deinit { following?.cancel() }

    /// Looks again whenever somebody signs in or out elsewhere: in another window, client or process.
    private func follow() {
        guard following == nil else { return }
        let look: @MainActor @Sendable () async -> Void = { [weak self] in await self?.look() }
        following = try? client.followSessions(look)
    }

    /// Looks who is signed in, and keeps what went wrong on the screen.
    private func look() async {
        let former = failure
        await refresh()
        if failure == nil, let former { report(former) }
    }

    /// Starts once more when something was in the way, such as a device that was locked. Call it when the app comes to the
    /// front; `thunderIDProvider(config:)` does.
    public func recover() async {
        guard !isReady, error != nil else { return }
        await start()
    }

    /// Looks who is signed in. When that cannot be known, everything stays as it is, with an ``error``.
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
            // The view is gone.
        } catch {
            if look > shownLook { report(error) }
        }
    }

    /// Shows what a look has found, unless a later one is shown.
    private func show(_ isSignedIn: Bool, _ user: User?, of look: Int) {
        guard look > shownLook else { return }
        shownLook = look
        (self.isSignedIn, self.user, isReady) = (isSignedIn, user, true)
        report(nil)
    }

    /// The user. Without a network the user stays as it was known before.
    private func currentUser() async throws -> User? {
        do {
            return try await client.getUser()
        } catch let failure as IAMError where failure.failureClass == .transient {
            return user
        }
    }

    private enum Action: Equatable {
        case signIn(SignInOptions?)
        case signOut(endsBrowserSession: Bool)
    }

    /// Signs in on the server's page, in a browser.
    public func signIn(options: SignInOptions? = nil) async {
        await perform(.signIn(options)) { [client, handlers] in
            try await client.signInWithBrowser(options: options, browser: handlers.webAuthenticator)
        }
    }

    /// Signs out here and at the server. As soon as the session is over here, the state says so, and the person may sign in
    /// again: at once, or when the page is closed.
    /// - Parameter endsBrowserSession: whether the session in the person's browser is ended too, which shows a page.
    public func signOut(endsBrowserSession: Bool = false) async {
        await signOut(endsBrowserSession: endsBrowserSession, then: nil)
    }

    /// Signs out, and says when nobody is signed in any more.
    func signOut(endsBrowserSession: Bool = false, then complete: (() -> Void)?) async {
        let revocation = Locked<Task<String, any Error>?>(nil)
        await perform(.signOut(endsBrowserSession: endsBrowserSession)) { [self] in
            let page = endsBrowserSession ? try await client.signOutURL() : nil
            let rest = try await Task.untilOver { [client] in try await client.signOut(onceOver: $0) }
            revocation.withLock { $0 = rest }
            looks += 1
            show(false, nil, of: looks)
            complete?()
            guard let page, let browser = handlers.webAuthenticator, let target = URL(string: try await rest.value)
            else { return }
            _ = try await browser.authenticate(at: page, redirectURI: target)
        }
        _ = await revocation.withLock { $0 }?.result
    }

    /// Runs one action at a time: the same one once more joins it, and another one waits.
    private func perform(_ action: Action, _ body: @escaping @MainActor () async throws -> Void) async {
        isLoading = true
        await actions.perform(action) { [self] in
            var problem: (any Error)?
            do {
                try await body()
            } catch is CancellationError {
                // The person closed the page.
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
