import Foundation
import IdentityKit

/// An address that another program sends a token to. A provider of the configuration has to name it.
struct Destination: Sendable {
    let address: URL

    /// The account that acts at the address.
    ///
    /// The address that names most of it wins. Of several accounts there the named one acts, or the active one.
    /// - Throws: ``DestinationError``, `ClientError`, or what the lookup throws.
    func account(in session: ToolSession) async throws -> AccountID {
        guard case .named(_, let providers) = session.client.finding(at: address) else {
            throw DestinationError.notNamed(address)
        }
        guard let account = try await session.namedAccount() else {
            return try await session.client.account(ofOneOf: providers, at: address)
        }
        guard providers.contains(session.client.providerName(of: account)) else {
            throw DestinationError.elsewhere(account, provider: providers[0])
        }
        return account
    }

    /// A bearer token for the address.
    /// - Throws: as ``account(in:)``, ``DestinationError/boundToKey``, or what the provider throws.
    func token(in session: ToolSession) async throws -> AccessToken {
        let account = try await account(in: session)
        let (value, details) = try await session.bearerToken(of: account)
        return AccessToken(
            value: value, type: "Bearer", account: account, expiresAt: details?.expiresAt,
            scopes: details?.scopes ?? [], session: details)
    }
}

extension ToolSession {
    /// A token for a program that sends it as it is.
    /// - Parameter margin: how long it has to last, in seconds.
    /// - Throws: ``DestinationError/boundToKey``, or what the provider throws.
    func bearerToken(
        of account: AccountID, scopes: Set<String> = [], lasting margin: Double = 0
    ) async throws -> (value: Secret, details: AccountSummary.Details?) {
        let value = try await client.accessToken(
            as: account, scopes: scopes, freshness: .lasting(.seconds(margin)))
        let details = try await details(of: account)
        guard details?.tokenType.lowercased() != "dpop" else { throw DestinationError.boundToKey }
        return (Secret(value), details)
    }
}

/// Why another program gets no token for an address.
enum DestinationError: IdentityFailure {
    /// No provider names the address.
    case notNamed(URL)
    /// The account that is named belongs to another provider than the one that names the address.
    case elsewhere(AccountID, provider: String)
    /// The token needs a proof for each request, which the other program cannot make.
    case boundToKey

    var failureCode: String {
        switch self {
        case .notNamed: "destination_not_named"
        case .elsewhere: "account_elsewhere"
        case .boundToKey: "token_bound_to_key"
        }
    }

    var failureClass: FailureClass { .definitive }

    var message: String {
        switch self {
        case .notNamed(let address):
            "No provider of the configuration names \(Self.place(address)), so no token is given."
        case .elsewhere(let account, let provider):
            "\(account) is not an account of \"\(provider)\", whose server it is, so no token is given. "
                + "Name one of its accounts with --account."
        case .boundToKey: "The token is bound to a key (DPoP), and the program cannot make the proof for each request."
        }
    }

    /// An address without what may be a secret.
    private static func place(_ address: URL) -> String {
        guard var parts = URLComponents(url: address, resolvingAgainstBaseURL: false) else { return "the address" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return String((parts.string ?? "the address").prefix(300))
    }
}
