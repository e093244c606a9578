import Foundation

/// What all providers of an app share: the store, the network, the means to show something, time and randomness.
public struct IdentityEnvironment: Sendable {
    /// The shared token store.
    public var store: any TokenStore
    /// How requests are sent. One of the app's own decides by itself which servers it trusts; see ``HTTPTransport``.
    ///
    /// The requests of a refresh share one deadline, which is shorter than the lease it holds; see
    /// <doc:RefreshingTokens>.
    public var transport: any HTTPTransport {
        get { deadlineTransport }
        set { deadlineTransport = DeadlineTransport(newValue) }
    }

    private var deadlineTransport: DeadlineTransport
    /// Asks the user for input; `nil` where nobody can be asked.
    public var prompter: (any FlowPrompter)?
    /// Opens sign-in pages; `nil` where there is no browser.
    public var webAuthenticator: (any WebAuthenticator)?
    /// Shows codes for another device; `nil` where nothing can be shown.
    public var deviceCodePresenter: (any DeviceCodePresenter)?
    /// Watches over refreshes, for reports and for a tool that is asked to end.
    public var refreshes: RefreshMonitor
    /// Who is told what happens.
    public var observers: IdentityObservers { refreshes.observers }
    /// The clock.
    public var time: TimeSource
    /// The source of unpredictable bytes.
    public var random: RandomSource
    /// The environment's variables, which settings may refer to.
    public var variables: [String: String]

    /// ``store``, whose conflicts and failures the observers are told of.
    package var observedStore: any TokenStore { ObservedTokenStore(store, observers) }

    /// An environment. The `observers` are told what happens to what is made with it.
    public init(
        store: any TokenStore, transport: any HTTPTransport = URLSessionTransport(),
        prompter: (any FlowPrompter)? = nil, webAuthenticator: (any WebAuthenticator)? = nil,
        deviceCodePresenter: (any DeviceCodePresenter)? = nil,
        refreshes: RefreshMonitor = RefreshMonitor(), time: TimeSource = .system, random: RandomSource = .system,
        variables: [String: String] = ProcessInfo.processInfo.environment,
        observers: [any IdentityObserver] = []
    ) {
        self.store = store
        deadlineTransport = DeadlineTransport(transport)
        self.prompter = prompter
        self.webAuthenticator = webAuthenticator
        self.deviceCodePresenter = deviceCodePresenter
        self.refreshes = refreshes
        self.time = time
        self.random = random
        self.variables = variables
        for observer in observers { refreshes.observers.add(observer) }
    }
}

extension IdentityEnvironment: CustomReflectable {
    /// Shows what is shared, and of the variables the names alone.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "store": store,
                "transport": transport,
                "prompter": prompter as Any,
                "webAuthenticator": webAuthenticator as Any,
                "deviceCodePresenter": deviceCodePresenter as Any,
                "variables": variables.namesAlone,
            ])
    }
}
