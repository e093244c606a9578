import Foundation
import IdentityKit
import OAuthKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The OAuth side of a ThunderID server for one client: where its endpoints are, and what is done there.
struct TokenService: Sendable {
    let environment: IdentityEnvironment
    private let discovered: DiscoveredRelyingParty

    init(settings: ThunderIDSettings, clientID: String, environment: IdentityEnvironment) {
        self.environment = environment
        let client = OAuthClient(
            id: clientID, transportSecurity: settings.allowsLoopbackHTTP ? .loopbackHTTPAllowed : .httpsOnly)
        discovered = DiscoveredRelyingParty {
            RelyingParty(
                metadata: try await ServerMetadata.fetch(
                    from: settings.baseURL, using: environment.transport, transportSecurity: client.transportSecurity),
                client: client, transport: environment.transport, random: environment.random, time: environment.time)
        }
    }

    /// The client at the server, whose endpoints and issuer are discovered once.
    var relyingParty: RelyingParty {
        get async throws { try await discovered.relyingParty }
    }

    /// Starts the authorization request without a browser (ThunderID OAuth, native UI on a redirect execution): the
    /// redirect to the sign-in page names the execution, which any client may drive.
    func openAuthorization(_ request: AuthorizationRequest, at url: URL) async throws -> NativeAuthorization {
        let (_, response) = try await environment.transport.data(for: URLRequest(url: url))
        guard (300..<400).contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"),
            let page = URL(string: location, relativeTo: request.authorizationEndpoint)?.absoluteURL
        else {
            throw IAMError(.serverError, "The server did not start the sign-in. Try again later.")
        }
        return try NativeAuthorization(signInPage: page, request: request, at: environment.time.now)
    }
}
