import Foundation
import IdentityKit

/// An MCP server, and the providers whose settings contain the server's address.
struct MCPServer: Sendable {
    /// The providers in the order of the configuration, at least one. If a provider's name was typed, only that provider.
    let providers: [String]
    /// The address in the providers' settings. ``address`` is this address, or an address with a longer path below it.
    let resource: URL
    /// The address for requests: the address that was typed, or ``resource`` if a provider's name was typed.
    let address: URL

    /// Finds a server by its address or by the name of its provider. Returns `nil` for an address that the settings of no
    /// provider contain, and for an address that different servers may interpret in different ways.
    /// - Throws: `ChainUsageError` for the name of an unknown provider, or ``MCPServerError``.
    init?(_ text: String, in configuration: IdentityConfiguration, _ call: ToolCall) throws {
        let rules = call.registry(for: configuration).destinations(of: configuration, call.variables)
        guard let url = URL(typed: text) else {
            guard let named = configuration.providers.first(where: { $0.name == text }) else {
                throw ChainUsageError.unknownProvider(text, known: configuration.providers.map(\.name))
            }
            guard let place = rules.rules.first(where: { $0.provider == named.name })?.addresses.first else {
                throw MCPServerError(provider: text)
            }
            (providers, resource, address) = ([text], place, place)
            return
        }
        guard case .named(let place, let providers) = rules.finding(at: url) else { return nil }
        (self.providers, resource, address) = (providers, place, url)
    }

    /// Finds the account that acts at the server: the account that the command line or the environment names, or else the
    /// active account if it belongs to one of ``providers``, or else the only account of these providers with a live session. A
    /// live session needs no new sign-in.
    /// - Returns: `nil` if the named account or the providers' active account has no live session, or if no account of
    ///   the providers has one.
    /// - Throws: ``DestinationError`` if the named account belongs to another provider, `ClientError` if several accounts have
    ///   a live session and none of them is active, or what the lookup throws. If no account has a live session,
    ///   `TokenStoreError` for a record that cannot be read, unless the record is damaged.
    func account(in session: ToolSession) async throws -> AccountID? {
        let listing = try await session.accounts()
        let accounts = listing.accounts.filter { providers.contains($0.account.realm) && $0.isLive }.map(\.account)
        if let named = try await session.namedAccount() {
            guard providers.contains(named.realm) else {
                throw DestinationError.elsewhere(named, provider: providers[0])
            }
            return accounts.contains(named) ? named : nil
        }
        if try await providerToSignInAgain(session) != nil { return nil }
        if let active = try await session.client.activeAccount(ofOneOf: providers) { return active }
        // A sign-in would replace a damaged record. If a record cannot be read for another reason, such as its permissions, a
        // sign-in could not replace it either, so report the reason.
        if accounts.isEmpty, let failure = listing.failures.first(where: { !$0.isAboutContent }) { throw failure }
        guard accounts.count < 2 else { throw ClientError.severalAccounts(accounts, host: address.host ?? "") }
        return accounts.first
    }

    /// Returns the provider of the active account if this provider is one of ``providers`` and the account has no live session;
    /// otherwise `nil`. Always `nil` if an option or a variable names an account. If the result is not `nil`, the callers let
    /// no other account act in place of the active one, and make the account of the next sign-in active.
    /// - Throws: what the lookup throws. For a `SessionError` or a damaged record, the provider is returned instead, because a
    ///   sign-in solves both problems.
    func providerToSignInAgain(_ session: ToolSession) async throws -> String? {
        guard try await session.namedAccount() == nil else { return nil }
        let client = session.client
        do {
            guard let active = try await client.activeAccount(ofOneOf: providers) else { return nil }
            // An account without a person, such as a workload's, has no stored session and needs no sign-in.
            let isLive = try await client.summary(of: active)?.isLive ?? client.isNoPerson(active)
            return isLive ? nil : active.realm
        } catch let error as SessionError {
            return error.account.realm
        } catch let error as ChainError where error.isAboutDamagedRecord {
            return error.stoppedAt ?? providers[0]
        }
    }
}

/// The provider that the command line names has no server address in its settings.
struct MCPServerError: IdentityFailure {
    let provider: String

    let failureCode = "server_not_named"
    let failureClass = FailureClass.definitive

    var message: String { "The provider \"\(provider)\" names no server. Give the server's address." }
}
