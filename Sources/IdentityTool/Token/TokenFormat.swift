import ArgumentParser
import Foundation
import IdentityKit
import IdentityStoreFormat

enum TokenFormat: String, CaseIterable, ExpressibleByArgument {
    case raw, header, json, kubectl, netrc

    /// Returns the text to print for `token` in this form.
    /// - Parameter host: the machine name for a `netrc` line; `nil` for the host of the token's backend.
    /// - Throws: for `netrc`, `ValidationError` without a usable host, and `MalformedTokenError` for a token with a space, a
    ///   double quote, a backslash or a character that is not printable ASCII. For `kubectl`, `KubectlRequestError.missing`,
    ///   because this form needs a request from kubectl.
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
            // In a `netrc` file white space ends a word, and some readers interpret double quotes and backslashes.
            guard token.value.reveal().isUnquotedWord else { throw MalformedTokenError(name: "access token") }
            guard host.isUnquotedWord else { throw ValidationError("\"\(host)\" is not the name of a machine.") }
            return "machine \(host)\nlogin oauth2\npassword \(token.value.reveal())"
        }
    }
}

struct AccessToken: Sendable {
    let value: Secret
    /// The authentication scheme, such as `Bearer`, or `DPoP` for a token that is bound to a key (RFC 9449 section 7.1).
    let type: String
    let account: AccountID
    let expiresAt: Date?
    let scopes: Set<String>
    /// The details of the stored session; `nil` without a stored session, as for a token from an environment variable.
    let session: AccountSummary.Details?

    /// The base URL of the session's backend; `nil` without a stored session.
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

    /// Returns a valid token of the named account, or else of the active account.
    /// - Parameter freshness: how long the token must still be valid, or that it must be new.
    /// - Throws: ``AccountChoiceError``, `ClientError.notSignedIn`, `MalformedTokenError`, or an error of the provider or the
    ///   store.
    static func current(
        in session: ToolSession, scopes: [String], freshness: TokenFreshness = .any
    ) async throws -> AccessToken {
        let named = try await session.namedAccount()
        let account = if let named { named } else { try await session.activeAccount() }
        // Pass the account even if it is the active one, because another account may become active meanwhile.
        let value = try await session.client.accessToken(as: account, scopes: Set(scopes), freshness: freshness)
            .asToken()
        let details = try await session.details(of: account)
        return AccessToken(
            value: Secret(value), type: scheme(details?.tokenType), account: account, expiresAt: details?.expiresAt,
            scopes: details?.scopes ?? [], session: details)
    }

    /// Returns the HTTP authentication scheme (RFC 9110 section 11.1) for a token type. Token types are compared without regard
    /// to case (RFC 6749 section 5.1). `Bearer` if the type is `nil` or cannot be a scheme.
    private static func scheme(_ type: String?) -> String {
        let known = ["Bearer", "DPoP"]
        guard let type, type.wholeMatch(of: /[A-Za-z0-9\-]+/) != nil else { return known[0] }
        return known.first { $0.lowercased() == type.lowercased() } ?? type
    }

    /// A warning that requests with the token need a DPoP proof (RFC 9449); `nil` for a token of any other type.
    var caution: String? {
        guard type == "DPoP" else { return nil }
        return "identity: This token is bound to a key: it is refused without a proof for each request. "
            + "\"identity request\" makes the proofs."
    }
}

/// The members of the output of `--format json`, which `TokenDocument` writes. Only the schema of the output uses this type.
struct TokenResult: Codable {
    let accessToken: String
    let account: String
    let details: [String: JSONValue]?
    let expiresAt: Date?
    let scopes: [String]
    let tokenType: String
}
