import ArgumentParser
import Foundation
import IdentityKit
import IdentityStoreFormat

enum TokenFormat: String, CaseIterable, ExpressibleByArgument {
    case raw, header, json, kubectl, netrc

    /// `token` in this form.
    /// - Parameter host: the machine name for a `netrc` line.
    func text(of token: AccessToken, host: String?) throws -> String {
        switch self {
        case .raw: return try token.document.text(in: .raw)
        case .header: return try token.document.text(in: .header)
        case .json: return try token.document.text(in: .json)
        case .kubectl: throw KubectlRequestError.missing
        case .netrc:
            guard let host = host ?? token.backend.flatMap({ URL(string: $0)?.host }) else {
                throw ValidationError("Name the machine with --host.")
            }
            // In a `netrc` file white space ends a word, and some readers interpret quotes.
            guard token.value.reveal().isUnquotedWord else { throw MalformedTokenError(name: "access token") }
            guard host.isUnquotedWord else { throw ValidationError("\"\(host)\" is not the name of a machine.") }
            return "machine \(host)\nlogin oauth2\npassword \(token.value.reveal())"
        }
    }
}

struct AccessToken: Sendable {
    let value: Secret
    /// The authentication scheme: `Bearer`, or `DPoP` for a token that is bound to a key (RFC 9449 section 7.1).
    let type: String
    let account: AccountID
    let expiresAt: Date?
    let scopes: Set<String>
    /// The session; `nil` for a given token.
    let session: AccountSummary.Details?

    /// The base URL of the backend.
    var backend: String? { session?.backend }

    fileprivate var document: TokenDocument {
        get throws {
            var document = TokenDocument(
                accessToken: value.reveal(), tokenType: type, expiresAt: expiresAt, scopes: Array(scopes),
                account: account.id)
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            document.details = try (session?.responseDetails ?? [:]).mapValues {
                String(decoding: try encoder.encode($0), as: UTF8.self)
            }
            return document
        }
    }

    /// A valid token of the session's account.
    /// - Parameter freshness: the time for which the token must still be valid; `nil` for any valid token.
    /// - Throws: `ClientError.notSignedIn`, `MalformedTokenError`, or what the provider throws.
    static func current(
        in session: ToolSession, scopes: [String], freshness: TokenFreshness? = nil
    ) async throws -> AccessToken {
        let named = try await session.namedAccount()
        let account = if let named { named } else { try await session.activeAccount() }
        let (client, scopes) = (session.client, Set(scopes))
        let value =
            if let freshness {
                try await client.accessToken(as: named, scopes: scopes, freshness: freshness).asToken()
            } else {
                try await client.accessToken(as: named, scopes: scopes).asToken()
            }
        let details = try await session.details(of: account)
        return AccessToken(
            value: Secret(value), type: scheme(details?.tokenType), account: account, expiresAt: details?.expiresAt,
            scopes: details?.scopes ?? [], session: details)
    }

    /// The scheme of HTTP (RFC 9110 section 11.1) for a token type, which is compared without regard to case (RFC 6749
    /// section 5.1). A type that cannot be a scheme counts as `Bearer`.
    private static func scheme(_ type: String?) -> String {
        let known = ["Bearer", "DPoP"]
        guard let type, type.wholeMatch(of: /[A-Za-z0-9\-]+/) != nil else { return known[0] }
        return known.first { $0.lowercased() == type.lowercased() } ?? type
    }

    /// A warning about a token that needs a proof; `nil` for a bearer token.
    var caution: String? {
        guard type == "DPoP" else { return nil }
        return "identity: This token is bound to a key: it is refused without a proof for each request. "
            + "\"identity request\" makes the proofs."
    }
}

/// The output of `--format json`, with the members of `TokenDocument`.
struct TokenResult: Codable {
    let accessToken: String
    let account: String
    let details: [String: JSONValue]?
    let expiresAt: Date?
    let scopes: [String]
    let tokenType: String
}
