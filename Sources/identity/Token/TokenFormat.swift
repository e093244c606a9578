import ArgumentParser
import Foundation
import IdentityKit

/// The forms in which other programs want a token.
enum TokenFormat: String, CaseIterable, ExpressibleByArgument {
    case raw, header, json, kubectl, netrc

    /// `token` in this form.
    /// - Parameter host: the machine a `netrc` line is for.
    func text(of token: AccessToken, host: String?) throws -> String {
        switch self {
        case .raw: return token.value.reveal()
        case .header: return "Authorization: \(token.type) \(token.value.reveal())"
        case .json: return try encoded(TokenDocument(token))
        case .kubectl: return try encoded(ExecCredential(token))
        case .netrc:
            guard let host = host ?? token.backend.flatMap({ URL(string: $0)?.host }) else {
                throw ValidationError("Name the machine with --host.")
            }
            // The words of that file stand between spaces and line ends, and quotes mean something in some readers.
            guard token.value.reveal().isUnquotedWord else { throw MalformedTokenError(name: "access token") }
            guard host.isUnquotedWord else { throw ValidationError("\"\(host)\" is no name of a machine.") }
            return "machine \(host)\nlogin oauth2\npassword \(token.value.reveal())"
        }
    }

    private func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

/// A token with what is known of it.
struct AccessToken: Sendable {
    let value: Secret
    /// The scheme it is sent under: `Bearer`, or `DPoP` for one that is bound to a key (RFC 9449 section 7.1).
    let type: String
    let account: AccountID
    let expiresAt: Date?
    let scopes: Set<String>
    /// The session it is of; `nil` for a token that was handed in.
    let session: AccountSummary.Details?

    /// The base URL of the backend.
    var backend: String? { session?.backend }

    /// A current token of the active account.
    /// - Throws: `ClientError.notSignedIn`, `MalformedTokenError`, or what the provider throws.
    static func current(in session: ToolSession, scopes: [String]) async throws -> AccessToken {
        let account = try await session.activeAccount()
        let value = try await session.client.accessToken(scopes: Set(scopes)).asToken()
        let details = try await session.details(of: account)
        return AccessToken(
            value: Secret(value), type: scheme(details?.tokenType), account: account, expiresAt: details?.expiresAt,
            scopes: details?.scopes ?? [], session: details)
    }

    /// A backend's word for the type, as a scheme of HTTP (RFC 9110 section 11.1). It is read without regard to case
    /// (RFC 6749 section 5.1), and what is no word at all must not get into a header.
    private static func scheme(_ type: String?) -> String {
        let known = ["Bearer", "DPoP"]
        guard let type, type.wholeMatch(of: /[A-Za-z0-9\-]+/) != nil else { return known[0] }
        return known.first { $0.lowercased() == type.lowercased() } ?? type
    }

    /// What whoever uses the token must know; `nil` for one that whoever has it may use.
    var caution: String? {
        guard type == "DPoP" else { return nil }
        return "identity: This token is bound to a key: without a proof for each request it is refused. "
            + "\"identity request\" makes the proofs."
    }
}

/// The members are named as in RFC 6749 section 5.1, but for what it does not have.
private struct TokenDocument: Encodable {
    let accessToken: String
    let tokenType: String
    let expiresAt: Date?
    let scope: String?
    let account: String

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresAt = "expires_at"
        case scope, account
    }

    init(_ token: AccessToken) {
        accessToken = token.value.reveal()
        tokenType = token.type
        expiresAt = token.expiresAt
        scope = token.scopes.isEmpty ? nil : token.scopes.sorted().joined(separator: " ")
        account = token.account.id
    }
}

/// What `kubectl` reads from a credential plug-in.
private struct ExecCredential: Encodable {
    struct Status: Encodable {
        let token: String
        let expirationTimestamp: Date?
    }

    let apiVersion = "client.authentication.k8s.io/v1"
    let kind = "ExecCredential"
    let status: Status

    init(_ token: AccessToken) {
        status = Status(token: token.value.reveal(), expirationTimestamp: token.expiresAt)
    }
}
