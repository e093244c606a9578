import Foundation
import IdentityKit
import OAuthKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The OAuth side of a ThunderID server for one client: where its endpoints are, and what is done there.
struct TokenService: Sendable {
    let settings: ThunderIDSettings
    let client: OAuthClient
    let environment: IdentityEnvironment
    private let discovered = DiscoveredServer()

    init(settings: ThunderIDSettings, clientID: String, environment: IdentityEnvironment) {
        self.settings = settings
        self.environment = environment
        client = OAuthClient(
            id: clientID, transportSecurity: settings.allowsLoopbackHTTP ? .loopbackHTTPAllowed : .httpsOnly)
    }

    /// The client at the server, whose endpoints and issuer are discovered once.
    var relyingParty: RelyingParty {
        get async throws {
            try await discovered.relyingParty { [settings, client, environment] in
                RelyingParty(
                    metadata: try await ServerMetadata.fetch(
                        from: settings.baseURL, using: environment.transport,
                        transportSecurity: client.transportSecurity),
                    client: client, transport: environment.transport, random: environment.random,
                    time: environment.time)
            }
        }
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

/// Keeps the discovered server for as long as the provider lives. A failure is not kept.
private final class DiscoveredServer: Sendable {
    private let found = Locked<RelyingParty?>(nil)
    private let flight = SingleFlight<String, RelyingParty>()

    func relyingParty(_ discover: @escaping @Sendable () async throws -> RelyingParty) async throws -> RelyingParty {
        if let party = found.withLock({ $0 }) { return party }
        return try await flight.value(for: "discovery") { [found] in
            let party = try await discover()
            found.withLock { $0 = party }
            return party
        }
    }
}
