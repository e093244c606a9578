import Foundation
import IdentityKit

@testable import IdentityOAuth

/// Discovery documents, as answers; see ``HTTPAnswer``. The question is `document`, or `loopback` for one of a server on this
/// machine, or a location, where the body is an issuer.
enum Metadata {
    private static let issuer = "https://id.example.com"

    @Sendable static func read(_ input: FuzzInput) {
        guard let answer = HTTPAnswer(input) else { return }
        do {
            try FuzzInput.choose(
                answer.question,
                from: [
                    ("document", { try readDocument($0, .httpsOnly) }),
                    ("loopback", { try readDocument($0, .loopbackHTTPAllowed) }),
                    ("openIDConnect", { try readIssuer($0, .openIDConnect) }),
                    ("authorizationServer", { try readIssuer($0, .authorizationServer) }),
                    ("authorizationServerBelowIssuer", { try readIssuer($0, .authorizationServerBelowIssuer) }),
                ] as [(String, (HTTPAnswer) throws -> Void)])(answer)
        } catch {
            error.tell()
        }
    }

    private static func readDocument(_ answer: HTTPAnswer, _ security: TransportSecurity) throws {
        try examine(
            Discovery.metadata(from: answer.body, answer.response, issuer: issuer, transportSecurity: security),
            security)
    }

    /// An issuer may come from outside as well.
    private static func readIssuer(_ answer: HTTPAnswer, _ location: Discovery.Location) throws {
        let issuer = String(decoding: answer.body, as: UTF8.self)
        let url = try Discovery.url(location, issuer: issuer)
        rule(TransportSecurity.httpsOnly.allows(url), "a document would be fetched without TLS")
    }

    private static func examine(_ metadata: AuthorizationServerMetadata, _ security: TransportSecurity) throws {
        rule(metadata.issuer == issuer, "another server's document was taken")
        for endpoint in ServerEndpoint.allCases {
            guard let url = try? metadata.endpoint(endpoint) else { continue }
            rule(security.allows(url), "an endpoint without TLS was taken")
        }
        _ = (metadata.scopesSupported, metadata.grantTypesSupported, metadata.tokenEndpointAuthMethodsSupported)
        _ = (metadata.requiresPushedAuthorizationRequests, metadata.codeChallengeMethodsSupported)
        _ = IDTokenValidator(metadata: metadata, clientID: "client")
        rule(
            try metadata.completed(by: metadata, transportSecurity: security) == metadata, "a document completes itself"
        )
    }
}
