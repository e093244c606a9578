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

    /// The signed-in user; `nil` without one, or before the server could be reached.
    @Published public private(set) var user: User?

    /// Whether a user is signed in.
    @Published public private(set) var isSignedIn = false

    /// Whether the first lookup of the user has finished. Until then guards show nothing.
    @Published public private(set) var isReady = false

    /// Whether a redirect sign-in or a sign-out is in progress.
    @Published public private(set) var isLoading = false

    /// The message of the error for the person; `nil` if there is none.
    @Published public private(set) var error: String?

    /// The error; `nil` if there is none. Its text is English, for logs; show ``error`` to people.
    @Published public private(set) var failure: IAMError?

    /// The texts of the views, in the chosen language.
    @Published public private(set) var texts: ThunderIDTexts

    /// The language of the views, and the app's own texts.
    public nonisolated let i18n: ThunderIDI18n

    /// Functions that a flow may need for steps that are not fields and buttons.
    public nonisolated let handlers: SignInHandlers

    private let config: ThunderIDConfig?
    private let actions = ActionQueue<Action>()
    private var following: Task<Void, Never>?
    /// The number of lookups that have started.
    private var looks = 0
    /// The number of the lookup whose result is shown.
    private var shownLook = 0

    /// Creates the state of a client that is initialized with `config`.
    public convenience init(
        config: ThunderIDConfig, handlers: SignInHandlers = SignInHandlers(), i18n: ThunderIDI18n? = nil
    ) {
        self.init(client: ThunderIDClient(), config: config, handlers: handlers, i18n: i18n)
    }

    /// Creates the state of a client.
    /// - Parameters:
    ///   - client: the client.
    ///   - config: the configuration; `nil` for a client that is initialized already.
    ///   - handlers: the browser and passkeys for sign-ins.
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

    /// Creates a state that never changes, for previews and tests of views.
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

    /// Publishes an error, or that there is none.
    private func report(_ error: (any Error)?) {
        failure = error.map(IAMError.shown)
        self.error = failure.map(texts.text)
    }

    /// Initializes the client and looks up the user. Later calls only look up the user.
    public func start() async {
        if let config {
            do {
                try await client.initialize(config: config)
            } catch let failure as IAMError where failure.code == .alreadyInitialized {
                // A reappearing view starts its state again, which is not an error.
            } catch {
                report(error)
                return
            }
        }
        follow()
        await refresh()
    }

    deinit { following?.cancel() }

    /// Repeats the lookup after every sign-in or sign-out elsewhere: in another window, client or process.
    private func follow() {
        guard following == nil else { return }
        let look: @MainActor @Sendable () async -> Void = { [weak self] in await self?.look() }
        following = try? client.followSessions(look)
    }

    /// Looks up the user, and keeps the present error on the screen.
    private func look() async {
        let former = failure
        await refresh()
        if failure == nil, let former { report(former) }
    }

    /// Starts again if the first start failed, for example because the device was locked. Call it when the app becomes
    /// active; `thunderIDProvider(config:)` does.
    public func recover() async {
        guard !isReady, error != nil else { return }
        await start()
    }

    /// Looks up the user. If that fails, everything stays as it is, with an ``error``.
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
            // The view has disappeared.
        } catch {
            if look > shownLook { report(error) }
        }
    }

    /// Publishes the result of a lookup, unless that of a later one is shown.
    private func show(_ isSignedIn: Bool, _ user: User?, of look: Int) {
        guard look > shownLook else { return }
        shownLook = look
        (self.isSignedIn, self.user, isReady) = (isSignedIn, user, true)
        report(nil)
    }

    /// The current user. Without a network, the known data of the user is kept.
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

    /// Signs out here and at the server. The state changes as soon as the session has ended here, so that the person
    /// can sign in again at once, or after the page is closed.
    /// - Parameter endsBrowserSession: whether to end the session in the person's browser, too, which shows a page.
    public func signOut(endsBrowserSession: Bool = false) async {
        await signOut(endsBrowserSession: endsBrowserSession, then: nil)
    }

    /// Signs out, and calls `complete` when nobody is signed in any more.
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

    /// Runs one action at a time: a second call of the same action joins the first, and another action waits.
    private func perform(_ action: Action, _ body: @escaping @MainActor () async throws -> Void) async {
        isLoading = true
        await actions.perform(action) { [self] in
            var problem: (any Error)?
            do {
                try await body()
            } catch is CancellationError {
                // The person closed the page, which is not an error.
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
