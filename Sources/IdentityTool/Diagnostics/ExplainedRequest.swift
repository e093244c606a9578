import Foundation
import IdentityKit

/// The account that would authorize a request to an address, and the rule that selects this account.
struct ExplainedRequest: Codable {
    let address: String
    let account: String?
    let provider: String?
    /// The rule that selects the account; `nil` without an account.
    ///
    /// - `account`: the command line or an environment variable names the account.
    /// - `destination`: the settings of the account's provider contain the address.
    /// - `selection`: the account is the active one.
    /// - `order`: the account's provider is the first one that has an account.
    let rule: String?
    /// The address in the provider's settings that matches the request's address; `nil` if ``rule`` is not
    /// `destination`.
    let destination: String?
    /// The scheme of the `Authorization` header field, `Bearer` or `DPoP`; `nil` if no token would be sent.
    let authorization: String?
    /// The reason why no request would be sent; `nil` if one would be sent.
    let error: String?

    init(to url: URL, scopes: Set<String>, in session: ToolSession) async {
        // Leave out user name, password, query and fragment, which may contain secrets.
        let shown = URLComponents(url: url, resolvingAgainstBaseURL: false).flatMap { parts -> String? in
            var parts = parts
            (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
            return parts.string
        }
        address = shown ?? "the address"
        var (route, scheme, failure): (RequestRoute?, String?, String?) = (nil, nil, nil)
        do {
            let named = try await session.namedAccount()
            let found = try await session.client.requestRoute(to: url, as: named, scopes: scopes)
            route = found
            let now = session.call.context.clock.now
            switch try await session.client.summary(of: found.account)?.session {
            // A suspended session needs a sign-in, but its access token is sent as long as the token is valid.
            case .live(let details)?,
                .suspended(let details, _)? where details.expiresAt ?? .distantFuture > now:
                scheme = details.tokenType.lowercased() == "dpop" ? "DPoP" : "Bearer"
            case nil:
                if session.client.link(of: found.account)?.provider is any FixedTokenProvider {
                    _ = try await session.client.accessToken(as: found.account)
                }
                scheme = "Bearer"
            case .suspended(_, let suspension)?: failure = "The session needs a sign-in: \(suspension.reason)"
            case .ended(let reason)?: failure = "The session has ended: \(reason)"
            case .kept(_, let reason)?: failure = reason
            }
        } catch {
            failure = error.identityMessage
        }
        (account, provider, rule) = (route?.account.id, route?.provider, route?.rule.rawValue)
        (destination, authorization, error) = (route?.destination?.absoluteString, scheme, failure)
    }

    /// A sentence with the account, the reason why this account is selected, and the scheme. If nothing would be sent,
    /// a sentence with the reason for that.
    var inWords: String {
        guard let account, let provider, let rule else { return "\(address): nothing is sent. \(error ?? "")" }
        let reason =
            switch RequestRoute.Rule(rawValue: rule) {
            case .account: "it is named"
            case .destination: "\"\(provider)\" names \(destination ?? "the address")"
            case .selection: "it is the active account"
            case .order, nil: "it is the first in the order of the providers"
            }
        if let error { return "\(address): nothing is sent as \(account), although \(reason). \(error)" }
        return
            "\(address): sent as \(account), because \(reason), with Authorization: \(authorization ?? "") and its token"
    }
}
