import Foundation
import IdentityKit

@testable import OAuthKit

/// Discovery documents, as answers; see ``HTTPAnswer``. The question is the location, or `loopback` for a server on this
/// machine.
enum Metadata {
    private static let issuer = "https://id.example.com"

    @Sendable static func read(_ input: FuzzInput) {
        guard let answer = HTTPAnswer(input) else { return }
        let security = answer.question == "loopback" ? TransportSecurity.loopbackHTTPAllowed : .httpsOnly
        do {
            let metadata = try Discovery.metadata(
                from: answer.body, answer.response, issuer: issuer, transportSecurity: security)
            try examine(metadata, security)
        } catch {
            error.tell()
        }
        // An issuer may come from outside as well.
        let issuer = (try? StrictJSON.parseObject(answer.body))?["issuer"]?.stringValue ?? answer.question
        for location in Discovery.Location.allCases {
            guard let url = try? Discovery.url(location, issuer: issuer, transportSecurity: security) else { continue }
            rule(security.allows(url), "a document would be fetched without TLS")
        }
    }

    private static func examine(_ metadata: AuthorizationServerMetadata, _ security: TransportSecurity) throws {
        rule(metadata.issuer == issuer, "another server's document was taken")
        for endpoint in AuthorizationServerMetadata.Endpoint.allCases {
            guard let url = try? metadata.endpoint(endpoint.rawValue) else { continue }
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
