extension IdentityProviderChain {
    /// One provider of a chain, under its name.
    public struct Link: Sendable {
        /// The name, unique in the chain.
        public let name: String
        /// The provider.
        public let provider: any IdentityProvider
        /// The realms of the provider's accounts.
        public let realms: Set<String>
        /// The deadline of a silent lookup.
        public var silentDeadline: SilentDeadline
        /// Whether a *new* sign-in may use the next provider while this one's backend cannot be reached. It never applies to
        /// an account of this provider.
        public var fallsBackWhenUnavailable: Bool

        /// The provider as a ``SessionProvider``, if it is one. Cast once, because a cast costs more than a call.
        let managed: (any SessionProvider)?

        /// A provider with its name.
        /// - Parameters:
        ///   - name: unique in the chain.
        ///   - provider: the provider, which may be a chain.
        ///   - realms: the realms of its accounts; by default those of a ``SessionProvider``, else `name`.
        ///   - silentDeadline: by default the standard one, and none for a chain, whose links have their own.
        ///   - fallsBackWhenUnavailable: see ``fallsBackWhenUnavailable``.
        public init(
            _ name: String, _ provider: any IdentityProvider, realms: Set<String>? = nil,
            silentDeadline: SilentDeadline? = nil, fallsBackWhenUnavailable: Bool = false
        ) {
            let managed = provider as? any SessionProvider
            self.name = name
            self.provider = provider
            self.managed = managed
            self.realms = realms ?? managed?.realms ?? [name]
            self.silentDeadline = silentDeadline ?? (provider is IdentityProviderChain ? .unlimited : .standard)
            self.fallsBackWhenUnavailable = fallsBackWhenUnavailable
        }
    }
}

/// How long a silent lookup at a provider may take, and what happens when it takes longer.
///
/// A slow provider may have an account, so the attempt fails instead of having no result.
public struct SilentDeadline: Sendable, Equatable {
    /// What happens when a provider is too slow.
    public enum Policy: String, Sendable, Codable, CaseIterable {
        /// The walk ends with an error.
        case stop
        /// The next provider is tried. The provider of the chosen account is never skipped.
        case skip
    }

    /// The longest time; `nil` for no limit.
    public var limit: Duration?
    /// What happens after it.
    public var policy: Policy

    /// A deadline.
    public init(_ limit: Duration?, _ policy: Policy = .stop) {
        self.limit = limit
        self.policy = policy
    }

    /// Two seconds, then the walk ends with an error.
    public static let standard = SilentDeadline(.seconds(2))
    /// No limit.
    public static let unlimited = SilentDeadline(nil)
}
