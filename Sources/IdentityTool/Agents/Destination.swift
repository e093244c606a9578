import Foundation
import IdentityKit

/// An address to which another program sends a token. The program gets a token only if the settings of a provider contain this
/// address, or an address of the same server whose path segments are the first segments of this address's path.
struct Destination: Sendable {
    let address: URL

    /// Returns the account whose token may be sent to the address. If several addresses in the settings of providers match, the
    /// longest one counts, and the account must belong to a provider with that address.
    ///
    /// If an option or a variable names an account, that account must belong to such a provider. If none is named, returns the
    /// active account if it belongs to such a provider, or else the only account that these providers have.
    /// - Throws: ``DestinationError/notNamed(_:)``, ``DestinationError/elsewhere(_:provider:)``, ``AccountChoiceError`` for a
    ///   given account, `ClientError` if these providers have no account or several, or what the lookup throws.
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

    /// Returns a bearer token that may be sent to the address.
    /// - Throws: as ``account(in:)``, ``DestinationError/boundToKey``, or what the provider or the store throws.
    func token(in session: ToolSession) async throws -> AccessToken {
        let account = try await account(in: session)
        let (value, details) = try await session.bearerToken(of: account)
        return AccessToken(
            value: value, type: "Bearer", account: account, expiresAt: details?.expiresAt,
            scopes: details?.scopes ?? [], session: details)
    }
}

extension ToolSession {
    /// Returns an access token for a program that sends it without a proof of a key (RFC 9449).
    /// - Parameter margin: the time for which the token must still be valid, in seconds.
    /// - Throws: ``DestinationError/boundToKey``, or what the provider or the store throws.
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

/// The reason why another program gets no token for an address.
enum DestinationError: StatedFailure {
    /// No provider names the address, or programs may interpret the address in different ways.
    case notNamed(URL)
    /// The given account belongs to no provider that names the address.
    case elsewhere(AccountID, provider: String)
    /// The token is bound to a key (RFC 9449), and the other program cannot make the proof that each request needs.
    case boundToKey

    var facts: FailureFacts {
        switch self {
        case .notNamed(let address):
            .definitive(
                "destination_not_named",
                "No provider of the configuration names \(Self.place(address)), so no token is given.")
        case .elsewhere(let account, let provider):
            .definitive(
                "account_elsewhere",
                "\(account) is not an account of \"\(provider)\", whose server it is, so no token is given. "
                    + "Name one of its accounts with --account.")
        case .boundToKey:
            .definitive(
                "token_bound_to_key",
                "The token is bound to a key (DPoP), and the program cannot make the proof for each request.")
        }
    }

    /// The first 300 characters of the address, without user, password, query and fragment, which may contain secrets.
    private static func place(_ address: URL) -> String {
        guard var parts = URLComponents(url: address, resolvingAgainstBaseURL: false) else { return "the address" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return String((parts.string ?? "the address").prefix(300))
    }
}
