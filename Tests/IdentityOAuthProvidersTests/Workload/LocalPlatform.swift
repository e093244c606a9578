import Foundation
import IdentityKit

@testable import IdentityLocalServers

/// Stands in for a platform that issues tokens to the programs that it runs: what Kubernetes writes into a file, and
/// GitHub Actions returns to a request.
final class LocalPlatform: Sendable {
    /// The HTTP server below: its request log, and faults to inject.
    let http: LocalHTTPServer
    /// `iss` of its tokens.
    let issuer: String
    /// `sub` of its tokens: the program.
    let subject: String
    private let signer: TokenSigner
    private let requestToken: String
    private let time: TimeSource
    private static let lifetime: TimeInterval = 300
    private static let path = "/actions/token"

    /// Starts a platform.
    /// - Parameters:
    ///   - issuer: `iss` of its tokens.
    ///   - subject: the program that its tokens are about.
    ///   - time: the clock by which they are made.
    /// - Throws: when no port can be bound or no key can be made.
    static func start(
        issuer: String = "https://token.actions.example.com",
        subject: String = "repo:acme/notes:ref:refs/heads/main", time: TimeSource = .system
    ) async throws -> LocalPlatform {
        let signer = PublishedKey(id: "platform", pair: try KeyPair.fresh(.p256)).signer
        let requestToken = LocalIdentifiers.base64URL(byteCount: 24)
        let http = try await LocalHTTPServer.start(port: 0) { request in
            response(to: request, requestToken) { audience in
                try signer.sign(claims(issuer, subject, audience: audience, at: time.now))
            }
        }
        return LocalPlatform(http, issuer, subject, signer, requestToken, time)
    }

    private init(
        _ http: LocalHTTPServer, _ issuer: String, _ subject: String, _ signer: TokenSigner, _ requestToken: String,
        _ time: TimeSource
    ) {
        (self.http, self.issuer, self.subject) = (http, issuer, subject)
        (self.signer, self.requestToken, self.time) = (signer, requestToken, time)
    }

    /// Stops listening and closes every connection.
    func stop() async {
        await http.stop()
    }

    /// A token, as Kubernetes writes it into a file.
    /// - Throws: when it cannot be signed.
    func token(audience: String) throws -> String {
        try signer.sign(Self.claims(issuer, subject, audience: audience, at: time.now))
    }

    /// What a server that accepts the tokens is told of the platform.
    var trusted: LocalOpenIDConnectServer.TrustedIssuer {
        LocalOpenIDConnectServer.TrustedIssuer(issuer: issuer, keys: [signer.publicJWK].compactMap { $0 })
    }

    /// The variables of a job of GitHub Actions that has the permission `id-token: write`.
    var variables: [String: String] {
        [
            "ACTIONS_ID_TOKEN_REQUEST_URL": http.url.absoluteString + Self.path + "?api-version=2.0",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": requestToken,
        ]
    }

    private static func claims(
        _ issuer: String, _ subject: String, audience: String, at now: Date
    ) -> [String: JSONValue] {
        let seconds = Int64(now.timeIntervalSince1970)
        return [
            "iss": .string(issuer), "sub": .string(subject), "aud": .string(audience), "iat": .integer(seconds),
            "nbf": .integer(seconds), "exp": .integer(seconds + Int64(lifetime)),
            "jti": .string(LocalIdentifiers.hex(byteCount: 12)),
        ]
    }

    /// `GET` with the token of the job; the token of the program is the member `value`.
    private static func response(
        to request: LocalRequest, _ requestToken: String, _ token: (String) throws -> String
    ) -> LocalResponse {
        guard request.method == "GET", request.path == path else {
            return .text("There is nothing here.\n", status: 404)
        }
        guard request.credentials("bearer") == requestToken else {
            return .text("The token of the job is required.\n", status: 401)
        }
        guard let token = try? token(request.queryValue("audience") ?? "https://github.com/acme") else {
            return .text("The token cannot be signed.\n", status: 500)
        }
        return .json(["count": .integer(Int64(token.utf8.count)), "value": .string(token)])
    }
}
