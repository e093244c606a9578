extension IdentityProviderChain {
    /// A provider of a chain, with its name, its realms and its deadline.
    public struct Link: Sendable {
        public private(set) var name: String
        /// The provider. If it implements only ``IdentityProvider``, an adapter makes it an ``AccountProvider`` that
        /// can neither replace a token nor sign out.
        public let provider: any AccountProvider
        /// The realms of the provider's accounts. The chain sends calls for accounts of these realms to this provider.
        package let realms: Set<String>
        /// The deadline of a silent lookup. If the chain may skip the provider, a lookup at a workload (which gets tokens
        /// without a person) also requests a token when there is no valid one. The deadline then covers this request too.
        package var silentDeadline: SilentDeadline
        /// Whether the chain may try the next provider while this provider's backend cannot be reached. The chain never
        /// does so when it looks up the chosen account, or when a sign-in names this provider.
        package var fallsBackWhenUnavailable: Bool

        /// Decides whether an error of a lookup or a sign-in means that the provider has no account; `nil` when no
        /// error does.
        let isUnavailable: (@Sendable (any Error) -> Bool)?
        /// The provider, if it is a chain, otherwise `nil`. Stored, because casting for every call would be slower.
        package let chain: IdentityProviderChain?
        /// The provider, if it requests its tokens without a person, as a workload does; `nil` for any other provider.
        package let requesting: (any TokenRequestingProvider)?
        /// Whether the provider implements only the three methods of ``IdentityProvider``.
        var hasThreeMethods: Bool { provider is ThreeMethodProvider }

        package var mayShowSignIn: Bool { provider.mayShowSignIn }

        /// The link under the name of its realm, if it has exactly one realm; otherwise the link under its own name. A
        /// client's only provider gets its name in this way, because no configuration names it.
        var namedByRealm: Link {
            guard realms.count == 1, let realm = realms.first else { return self }
            return Link(realm, self)
        }

        private init(_ name: String, _ link: Link) {
            self = link
            self.name = name
        }

        /// Creates a link to a provider, under a name that events, errors and overrides use.
        /// - Parameters:
        ///   - name: unique in the chain.
        ///   - provider: the provider, which may be a chain.
        ///   - realms: the realms of the provider's accounts; by default those that an ``AccountProvider`` states, or only
        ///     `name` for any other provider.
        ///   - silentDeadline: the deadline of a silent lookup; by default two seconds with ``SilentDeadline/Policy/stop``,
        ///     but no limit for a chain, because its links have their own deadlines.
        ///   - fallsBackWhenUnavailable: whether the chain may try the next provider while this provider's backend
        ///     cannot be reached. Never applies to the lookup of the chosen account, or to a sign-in that names this
        ///     provider.
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
public struct SilentDeadline: Sendable, Hashable {
    /// Whether a chain stops at a provider that does not answer in time, or skips it.
    public enum Policy: String, Sendable, Codable, CaseIterable {
        /// The chain throws ``ChainError`` and tries no other provider. If `fallsBackWhenUnavailable` is set for the
        /// provider, a missed deadline counts as a backend that cannot be reached.
        case stop
        /// The chain tries the next provider. It never skips a provider when it looks up the chosen account.
        case skip
    }

    package let limit: Duration?
    package let policy: Policy

    /// Makes a deadline.
    /// - Parameters:
    ///   - limit: the longest time of a lookup; `nil` for no limit.
    ///   - policy: the treatment of a provider that takes longer.
    public init(_ limit: Duration?, _ policy: Policy = .stop) {
        self.limit = limit
        self.policy = policy
    }

    /// Two seconds; a chain stops with an error at a provider that takes longer.
    package static let standard = SilentDeadline(.seconds(2))
    package static let unlimited = SilentDeadline(nil)
}
