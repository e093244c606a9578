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
    private let metadata = MetadataCache()

    init(settings: ThunderIDSettings, clientID: String, environment: IdentityEnvironment) {
        self.settings = settings
        self.environment = environment
        client = OAuthClient(
            id: clientID, transportSecurity: settings.allowsLoopbackHTTP ? .loopbackHTTPAllowed : .httpsOnly)
    }

    /// Starts an authorization request.
    func authorizationRequest(redirectURI: URL, scopes: [String]) async throws -> AuthorizationRequest {
        try AuthorizationRequest(
            client: client, metadata: await serverMetadata(), redirectURI: redirectURI, scopes: scopes,
            random: environment.random, time: environment.time)
    }

    /// Redeems the code of a finished authorization.
    func redeem(
        _ callback: URL, for pending: PendingAuthorization
    ) async throws -> TokenEndpointResponse {
        let code = try AuthorizationResponse(callbackURL: callback)
            .authorizationCode(for: pending, at: environment.time.now)
        return try await send(.authorizationCode(code, pending: pending))
    }

    /// Renews tokens. The refresh token is spent by this, whether or not an answer arrives.
    func refresh(_ refreshToken: Secret) async throws -> TokenEndpointResponse {
        try await send(.refreshToken(refreshToken))
    }

    /// Revokes the whole session the token belongs to (ThunderID OAuth, revoke).
    func revoke(_ token: Secret, hint: TokenTypeHint) async throws {
        try await RevocationRequest(
            token: token, tokenTypeHint: hint,
            revocationEndpoint: await serverMetadata().endpoint("revocation_endpoint"), client: client
        ).send(using: environment.transport)
    }

    /// Starts the authorization request without a browser (ThunderID OAuth, native UI on a redirect execution): the
    /// redirect to the sign-in page names the execution, which any client may drive.
    func openAuthorization(_ request: AuthorizationRequest) async throws -> NativeAuthorization {
        let (_, response) = try await environment.transport.data(for: URLRequest(url: request.url))
        guard (300..<400).contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"),
            let url = URL(string: location, relativeTo: request.authorizationEndpoint)?.absoluteURL
        else {
            throw IAMError(.serverError, "The server did not start the sign-in. Try again later.")
        }
        return try NativeAuthorization(signInPage: url, request: request, at: environment.time.now)
    }

    private func send(_ grant: TokenGrant) async throws -> TokenEndpointResponse {
        try await TokenRequest(
            grant, tokenEndpoint: await serverMetadata().endpoint("token_endpoint"), client: client
        ).send(using: environment.transport)
    }

    private func serverMetadata() async throws -> AuthorizationServerMetadata {
        try await metadata.value { [settings, client, environment] in
            try await ServerMetadata.fetch(
                from: settings.baseURL, using: environment.transport, transportSecurity: client.transportSecurity)
        }
    }
}

/// The two identifiers of an authorization that is carried on without a browser.
struct NativeAuthorization: Sendable {
    let authID: String
    let executionID: String

    /// Reads where the server would send the browser.
    /// - Throws: what the server says when it sends the browser straight back, or to its error page.
    init(signInPage url: URL, request: AuthorizationRequest, at now: Date) throws {
        let parameters = try CallbackURL(url)
        if let authID = parameters["authId"], let executionID = parameters["executionId"] {
            (self.authID, self.executionID) = (authID, executionID)
            return
        }
        if parameters.returns(to: request.redirectURI) {
            _ = try AuthorizationResponse(callbackURL: url).authorizationCode(for: request.pending, at: now)
        }
        let detail = parameters["errorMessage"] ?? "no reason was given"
        throw detail == "Invalid redirect URI"
            ? IAMError(
                .invalidRedirectUri, "The server does not know this redirect URI. Register \(request.redirectURI).")
            : IAMError(.invalidConfiguration, "The server refused the authorization request: \(detail).")
    }
}
