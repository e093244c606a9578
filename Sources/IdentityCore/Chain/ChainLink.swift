extension IdentityProviderChain {
    /// A provider of a chain, under its name.
    public struct Link: Sendable {
        public private(set) var name: String
        /// The provider. One with only the three basic methods is wrapped into an ``AccountProvider``.
        public let provider: any AccountProvider
        /// The realms of the provider's accounts.
        public let realms: Set<String>
        /// The deadline of a silent lookup. For a workload that the next provider may replace, the lookup includes
        /// requesting a token when there is no valid one.
        package var silentDeadline: SilentDeadline
        /// Whether a *new* sign-in may use the next provider while this one's backend cannot be reached. A chosen
        /// account of this provider is never replaced that way.
        package var fallsBackWhenUnavailable: Bool

        /// Whether an error of looking up or signing in means that the provider has no account.
        let isUnavailable: (@Sendable (any Error) -> Bool)?
        /// The provider cast to a chain; `nil` when it is none. Stored, because a cast costs more than a call.
        package let chain: IdentityProviderChain?
        /// The provider cast to one that requests its tokens without a person; `nil` when it is none.
        package let requesting: (any TokenRequestingProvider)?
        /// Whether the provider has only the three basic methods.
        var hasThreeMethods: Bool { provider is ThreeMethodProvider }

        package var mayShowSignIn: Bool { provider.mayShowSignIn }

        /// Link named after its realm, because the only provider of a client has no name of its own.
        var namedByRealm: Link {
            guard realms.count == 1, let realm = realms.first else { return self }
            return Link(realm, self)
        }

        private init(_ name: String, _ link: Link) {
            self = link
            self.name = name
        }

        /// A provider with its name.
        /// - Parameters:
        ///   - name: unique in the chain.
        ///   - provider: the provider, which may be a chain.
        ///   - realms: the realms of its accounts; by default those of an ``AccountProvider``, else `name`.
        ///   - silentDeadline: by default the standard one, and none for a chain, whose links have their own.
        ///   - fallsBackWhenUnavailable: see `fallsBackWhenUnavailable`.
        public init(
            _ name: String, _ provider: any IdentityProvider, realms: Set<String>? = nil,
            silentDeadline: SilentDeadline? = nil, fallsBackWhenUnavailable: Bool = false
        ) {
            var (base, checks) = (provider, [] as [@Sendable (any Error) -> Bool])
            while let lenient = base as? LenientProvider {
                checks.append(lenient.isUnavailable)
                base = lenient.base
            }
            let predicates = checks
            if predicates.isEmpty {
                isUnavailable = nil
            } else {
                isUnavailable = { error in predicates.contains { $0(error) } }
            }
            let managed = base as? any AccountProvider
            chain = base as? IdentityProviderChain
            requesting = base as? any TokenRequestingProvider
            self.name = name
            self.provider = managed ?? ThreeMethodProvider(base: base, realms: realms ?? [name])
            self.realms = realms ?? self.provider.realms
            self.silentDeadline = silentDeadline ?? (chain == nil ? .standard : .unlimited)
            self.fallsBackWhenUnavailable = fallsBackWhenUnavailable
        }
    }
}

/// How long a silent lookup at a provider may take, and what happens when it takes longer.
///
/// A slow provider may have an account, so missing the deadline counts as a failure and not as "no account".
public struct SilentDeadline: Sendable, Equatable {
    /// Whether a chain stops at a provider that does not answer in time, or skips it.
    public enum Policy: String, Sendable, Codable, CaseIterable {
        /// The walk ends with an error.
        case stop
        /// The next provider is tried. The provider of the chosen account is never skipped.
        case skip
    }

    public var limit: Duration?
    /// Whether the chain stops at a provider that exceeds the deadline, or skips it.
    public var policy: Policy

    public init(_ limit: Duration?, _ policy: Policy = .stop) {
        self.limit = limit
        self.policy = policy
    }

    /// Two seconds, then the walk ends with an error.
    public static let standard = SilentDeadline(.seconds(2))
    public static let unlimited = SilentDeadline(nil)
}
