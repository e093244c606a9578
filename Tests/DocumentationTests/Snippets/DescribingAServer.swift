import Foundation
import IdentityKit
import IdentityOAuth

/// A provider for a server that is not OpenID Connect.
func makePlainProvider(
    authorize: URL, token: URL, revoke: URL, me: URL, context: ProviderContext
) throws -> OAuthSessionProvider {
    // snippet: a-plain-server
    var server = try OAuthServer(
        type: "acme", backend: "https://acme.example", client: OAuthClient(id: "app"),
        endpoints: [.authorization: authorize, .token: token, .revocation: revoke],
        account: .request(me, identifier: "id"))
    server.scopes = ["read"]
    server.redirectURI = URL(string: "com.example.app:/callback")
    let provider = OAuthSessionProvider(server, context: context)
    // end snippet
    return provider
}
