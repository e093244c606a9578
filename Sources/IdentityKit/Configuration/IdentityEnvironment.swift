import Foundation

/// Everything that the providers of an app share: the store, the network, the user interface, the clock and random
/// bytes.
public struct IdentityEnvironment: Sendable {
    public var store: any TokenStore
    /// Sends the requests. The requests of a refresh have to go through its ``RefreshContext``; see
    /// <doc:RefreshingTokens>.
    public var transport: any HTTPTransport
    /// Whether addresses that a server names, such as an endpoint of its metadata, are refused if they lead to this
    /// machine or its network: to a loopback, private, link-local or shared address, also of IPv4 in IPv6. Otherwise, a
    /// server chosen by others could make this program send requests to machines in its network. Configured servers may
    /// have private addresses.
    ///
    /// `CurlTransport` checks the address of each connection. With another transport, or through a proxy, the name is
    /// only looked up beforehand, and may resolve differently a moment later.
    public var refusesPrivateAddresses = false
    /// Asks the user for input; `nil` if that is not possible.
    public var prompter: (any FlowPrompter)?
    /// Opens sign-in pages, by default as ``DefaultWebAuthenticator`` says; `nil` where there is no browser.
    public var webAuthenticator: (any WebAuthenticator)?
    /// Shows codes for another device; `nil` if that is not possible.
    public var deviceCodePresenter: (any DeviceCodePresenter)?
    /// Sign-ins with vendors that the device offers instead of the vendors' pages; empty to use pages only.
    public var nativeSignIns: [NativeSignIn] = []
    /// Reports on sessions, and lets a tool wait for running refreshes before it ends.
    public var refreshes: RefreshMonitor
    /// The observers, which receive the events of everything made with this environment.
    public var observers: IdentityObservers { refreshes.observers }
    public var time: TimeSource
    /// The providers of a configuration that was made with this environment, by name.
    package let providers = ProviderDirectory()
    /// The source of unpredictable bytes.
    public var random: RandomSource
    /// The environment variables to which settings may refer: those of the process, read at each use, unless others
    /// were given.
    public var variables: [String: String] {
        get { givenVariables ?? ProcessInfo.processInfo.environment }
        set { givenVariables = newValue }
    }

    /// The given variables; `nil` to read those of the process, of which no copy is kept because it takes several
    /// kilobytes.
    private var givenVariables: [String: String]?

    /// The home folder according to the given variables; `nil` when none were given.
    var givenHome: String? { givenVariables.map { variables in StorePath.home { variables[$0] } } }

    /// The store, wrapped to report its conflicts and failures to the observers.
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
    /// - Throws: ``TrustedCertificatesError`` if they cannot be added.
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
    /// Shows the names of the variables, but not their values.
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
