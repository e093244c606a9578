import Foundation
import IdentityKit

/// An app that is made of the parts of this package.
public struct Workshop: Sendable {
    public let client: IdentityClient
    public let store: CountedStore
    let environment: IdentityEnvironment

    /// - Parameters:
    ///   - configuration: the providers, and a store of any type that is known here.
    ///   - transport: sends the requests.
    ///   - terminal: shows and asks.
    ///   - prompter: asks the questions of sign-ins; `nil` for the terminal.
    ///   - observers: receive every event.
    ///   - provider: the only one to ask; `nil` for all.
    ///   - time: the clock.
    /// - Throws: ``ConfigurationError`` for a mistake in the configuration.
    public init(
        _ configuration: IdentityConfiguration, transport: any HTTPTransport, terminal: Terminal,
        prompter: (any FlowPrompter)? = nil, observers: [any IdentityObserver] = [], only provider: String? = nil,
        time: TimeSource = .system
    ) throws {
        let registry = Self.registry
        store = CountedStore(try registry.openStore(configuration.store, time: time))
        var environment = IdentityEnvironment(
            store: store, transport: transport, prompter: prompter ?? TerminalPrompter(terminal),
            webAuthenticator: TerminalPages(terminal), deviceCodePresenter: TerminalCodes(terminal),
            time: time, random: .system, variables: [:], observers: observers)
        // A device without a badge reader would leave it out, and its people would see a page.
        environment.nativeSignIns = [
            NativeSignIn(vendor: "lantern") { nonce in
                guard let token = await terminal.ask("Badge for \(nonce): ", true) else { throw CancellationError() }
                return .init(token: Secret(token), user: "badge", profile: AccountProfile(displayName: "Badge"))
            }
        ]
        self.environment = environment
        client = try IdentityClient(
            configuration: configuration, registry: registry, environment: environment,
            override: provider.map { .only($0) })
    }

    static var registry: ProviderRegistry {
        var registry = ProviderRegistry(ProviderRegistry.corePlugins)
        registry.register(LanternPlugin.self)
        registry.register(DictionaryStorePlugin.self)
        return registry
    }

    /// The configuration of a file, for a shop whose people edit it.
    public static let document = Data(
        """
        {
          "profiles": {
            "shop": {
              "store": { "type": "dictionary", "capacity": 50 },
              "onSessionEnd": "fallBack",
              "providers": [
                { "name": "lantern", "type": "lantern", "settings": { "baseURL": "https://lantern.example" } }
              ]
            }
          }
        }
        """.utf8)

    /// Likewise in code, with a guest for times without the server.
    public static func configuration(of server: URL) -> IdentityConfiguration {
        let lantern = ProviderConfiguration(
            name: "lantern", type: LanternPlugin.type,
            settings: ["baseURL": .string(server.absoluteString), "clientID": "own-parts", "lifetime": 600],
            fallsBackWhenUnavailable: true, silentDeadline: SilentDeadline(.seconds(3), .skip), sendsTo: [server])
        let guest = ProviderConfiguration(name: "guest", type: "anonymous", settings: [:])
        return IdentityConfiguration(
            profile: "shop", store: StoreConfiguration(type: DictionaryStorePlugin.type, settings: ["capacity": 50]),
            providers: [lantern, guest], onSessionEnd: .fallBack, routesByDestination: true)
    }
}
