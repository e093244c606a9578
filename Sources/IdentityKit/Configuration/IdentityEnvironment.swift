import Foundation

/// Everything that the providers of an app share: the store, the network, the user interface, the clock and random
/// bytes.
public struct IdentityEnvironment: Sendable {
    public var store: any TokenStore
    /// Sends the requests. Those of a refresh go through its ``RefreshContext``; see <doc:RefreshingTokens>.
    public var transport: any HTTPTransport
    /// Whether addresses that a server names, such as an endpoint of its metadata, are refused where they lead to this machine
    /// or its network: to a loopback, private, link-local or shared address, also of IPv4 in IPv6. A server that others
    /// choose could otherwise have this program ask its neighbours. Those that are configured may be private.
    ///
    /// `CurlTransport` looks at the address of each connection. With another transport, and through a proxy, the name is
    /// looked up before, and may lead elsewhere a moment later.
    public var refusesPrivateAddresses = false
    /// Asks the user for input; `nil` where that is not possible.
    public var prompter: (any FlowPrompter)?
    /// Opens sign-in pages, by default as ``DefaultWebAuthenticator`` says; `nil` where there is no browser.
    public var webAuthenticator: (any WebAuthenticator)?
    /// Shows codes for another device; `nil` where that is not possible.
    public var deviceCodePresenter: (any DeviceCodePresenter)?
    /// Signs in at vendors by the means of the device, in place of their pages; empty for pages alone.
    public var nativeSignIns: [NativeSignIn] = []
    /// Reports on sessions, and delays the end of a tool until running refreshes are stored.
    public var refreshes: RefreshMonitor
    /// The observers, which receive the events of everything made with this environment.
    public var observers: IdentityObservers { refreshes.observers }
    public var time: TimeSource
    /// The providers of a configuration that was made with this environment.
    package let providers = ProviderDirectory()
    /// The source of unpredictable bytes.
    public var random: RandomSource
    /// The environment's variables, which settings may refer to: those of the process, as they are when they are read, unless
    /// others were given.
    public var variables: [String: String] {
        get { givenVariables ?? ProcessInfo.processInfo.environment }
        set { givenVariables = newValue }
    }

    /// Variables of the process are not kept: a copy of them takes several kilobytes.
    private var givenVariables: [String: String]?

    /// The home folder by the variables that were given; `nil` when none were.
    var givenHome: String? { givenVariables.map { variables in StorePath.home { variables[$0] } } }

    /// ``store``, which reports its conflicts and failures to the observers.
    package var observedStore: any TokenStore { ObservedTokenStore(store, observers) }

    public init(
        store: any TokenStore, transport: any HTTPTransport = DefaultTransport.make(),
        prompter: (any FlowPrompter)? = nil,
        webAuthenticator: (any WebAuthenticator)? = DefaultWebAuthenticator.ofThisSystem,
        deviceCodePresenter: (any DeviceCodePresenter)? = nil,
        refreshes: RefreshMonitor = RefreshMonitor(), time: TimeSource = .system, random: RandomSource = .system,
        variables: [String: String]? = nil,
        observers: [any IdentityObserver] = []
    ) {
        self.store = store
        self.transport = transport
        self.prompter = prompter
        self.webAuthenticator = webAuthenticator
        self.deviceCodePresenter = deviceCodePresenter
        self.refreshes = refreshes
        self.time = time
        self.random = random
        givenVariables = variables
        for observer in observers { refreshes.observers.add(observer) }
    }
}

extension IdentityEnvironment {
    /// The environment with a transport that also trusts `certificates`. An app's own ``HTTPTransport`` stays as it is.
    /// - Throws: ``TrustedCertificatesError`` where they cannot be added.
    package func trusting(
        _ certificates: TrustedCertificates?
    ) throws(TrustedCertificatesError) -> IdentityEnvironment {
        guard let certificates, let transport = transport as? any TrustingTransport else { return self }
        var environment = self
        environment.transport = try transport.trusting(certificates)
        return environment
    }
}

extension IdentityEnvironment: CustomReflectable {
    /// Shows of the variables only the names.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "store": store,
                "transport": transport,
                "refusesPrivateAddresses": refusesPrivateAddresses,
                "prompter": prompter as Any,
                "webAuthenticator": webAuthenticator as Any,
                "deviceCodePresenter": deviceCodePresenter as Any,
                "variables": variables.namesAlone,
            ])
    }
}
