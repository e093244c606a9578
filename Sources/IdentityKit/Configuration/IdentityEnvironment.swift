import Foundation

/// The services that the providers of an app share: the store, the network, the user interface, the clock, random bytes
/// and environment variables.
public struct IdentityEnvironment: Sendable {
    public var store: any TokenStore
    /// Sends the requests of providers. During a refresh, a provider has to send its requests through the
    /// ``RefreshContext`` that it receives; see <doc:RefreshingTokens>.
    public var transport: any HTTPTransport
    /// Whether the URLs that a server supplies, such as the endpoints in its metadata, must not lead to private
    /// addresses. A request to such a URL is refused if the host has an IP address that is not public, such as a
    /// loopback, private, link-local or shared address. An IPv4 address in IPv6 form is treated as the IPv4 address.
    /// Without this check, a server could make this program send requests to machines in the program's own network. The
    /// configured servers may have private addresses. `false` by default.
    ///
    /// `CurlTransport` checks the address of each connection. With another transport, or through a proxy, the host name
    /// is only resolved before the request, and may resolve differently when the connection is made.
    public var refusesPrivateAddresses = false
    /// Asks the user for input; `nil` if that is not possible.
    public var prompter: (any FlowPrompter)?
    /// Opens sign-in pages, by default with ``DefaultWebAuthenticator/ofThisSystem``; `nil` if no page can be opened.
    public var webAuthenticator: (any WebAuthenticator)?
    /// Shows codes for another device; `nil` if that is not possible.
    public var deviceCodePresenter: (any DeviceCodePresenter)?
    /// Sign-ins that the device or the app offers instead of a vendor's page, such as Sign in with Apple; empty by default.
    public var nativeSignIns: [NativeSignIn] = []
    /// Counts running refreshes, so that a program can wait for them before it ends. Sends reports about sessions to
    /// ``observers``.
    package var refreshMonitor: RefreshMonitor
    /// The observers that receive the events of the clients and providers made with this environment.
    public var observers: IdentityObservers { refreshMonitor.observers }
    public var time: TimeSource
    /// The providers made with this environment that can issue assertions about their accounts, by name.
    package let providers = ProviderDirectory()
    /// The source of unpredictable bytes, such as for `state` and the PKCE verifier.
    public var random: RandomSource
    /// The environment variables to which settings may refer; by default the variables of the process, which are read
    /// again at each use.
    public var variables: [String: String] {
        get { givenVariables ?? ProcessInfo.processInfo.environment }
        set { givenVariables = newValue }
    }

    /// The variables that the app has set; `nil` to read the variables of the process at each use. The variables of the
    /// process are not copied here, because a copy would take several kilobytes.
    private var givenVariables: [String: String]?

    /// The home folder according to the given variables; `nil` when none were given.
    var givenHome: String? { givenVariables.map { variables in StorePath.home { variables[$0] } } }

    /// The store, wrapped to report its conflicts and failures to the observers.
    package var observedStore: any TokenStore { ObservedTokenStore(store, observers) }

    public init(
        store: any TokenStore, transport: any HTTPTransport = DefaultTransport.make(),
        prompter: (any FlowPrompter)? = nil,
        webAuthenticator: (any WebAuthenticator)? = DefaultWebAuthenticator.ofThisSystem,
        deviceCodePresenter: (any DeviceCodePresenter)? = nil, time: TimeSource = .system,
        random: RandomSource = .system, variables: [String: String]? = nil, observers: [any IdentityObserver] = []
    ) {
        self.init(
            store: store, transport: transport, prompter: prompter, webAuthenticator: webAuthenticator,
            deviceCodePresenter: deviceCodePresenter, refreshMonitor: RefreshMonitor(), time: time, random: random,
            variables: variables, observers: observers)
    }

    /// Creates an environment whose refreshes are counted by `refreshMonitor`.
    package init(
        store: any TokenStore, transport: any HTTPTransport = DefaultTransport.make(),
        prompter: (any FlowPrompter)? = nil,
        webAuthenticator: (any WebAuthenticator)? = DefaultWebAuthenticator.ofThisSystem,
        deviceCodePresenter: (any DeviceCodePresenter)? = nil, refreshMonitor: RefreshMonitor,
        time: TimeSource = .system, random: RandomSource = .system, variables: [String: String]? = nil,
        observers: [any IdentityObserver] = []
    ) {
        self.store = store
        self.transport = transport
        self.prompter = prompter
        self.webAuthenticator = webAuthenticator
        self.deviceCodePresenter = deviceCodePresenter
        self.refreshMonitor = refreshMonitor
        self.time = time
        self.random = random
        givenVariables = variables
        for observer in observers { refreshMonitor.observers.add(observer) }
    }

    /// Prevents the providers made with this environment from beginning further refreshes, and waits until the running
    /// refreshes have ended and their results are stored. Call this function before a program ends, because a session
    /// is lost when its refresh token is spent and its new tokens are not stored. `TerminationSignals` calls it for
    /// SIGINT, SIGTERM and SIGHUP. Copies of an environment share their refreshes.
    /// - Parameter deadline: the longest wait.
    /// - Returns: `false` when a refresh was still running at the deadline.
    @discardableResult
    public func close(within deadline: Duration) async -> Bool {
        await refreshMonitor.close(within: deadline, time: time)
    }
}

extension IdentityEnvironment {
    /// Returns the environment with a transport that also trusts a server whose certificate is one of `certificates` or
    /// was issued by one of them. The environment is returned unchanged if `certificates` is `nil`, or if the transport
    /// is an app's own ``HTTPTransport``.
    /// - Throws: ``TrustedCertificatesError`` if the transport cannot trust the certificates.
    package func trusting(
        _ certificates: TrustedCertificates?
    ) throws(TrustedCertificatesError) -> IdentityEnvironment {
        guard let certificates, let transport = transport as? any TrustingTransport else { return self }
        var environment = self
        environment.transport = try transport.trusting(certificates)
        return environment
    }
}

extension IdentityEnvironment: Reticent {
    /// Shows the names of the variables, but not their values.
    package var shown: KeyValuePairs<String, Any> {
        [
            "store": store,
            "transport": transport,
            "refusesPrivateAddresses": refusesPrivateAddresses,
            "prompter": prompter as Any,
            "webAuthenticator": webAuthenticator as Any,
            "deviceCodePresenter": deviceCodePresenter as Any,
            "variables": variables.namesAlone,
        ]
    }
}
