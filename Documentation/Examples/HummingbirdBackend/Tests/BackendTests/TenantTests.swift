import IdentityKit
import IdentityOAuth
import IdentityOAuthProviders
import Testing

@testable import backend

// snippet: adding-a-tenant
func add(_ tenant: ProviderConfiguration, to client: IdentityClient) throws {
    try client.reconfigure { $0.providers.append(tenant) }
}
// end snippet

/// A tenant may be added by code, too, while the server runs.
@Suite struct TenantTests {
    private func provider(_ name: String, _ more: [String: JSONValue] = [:]) -> ProviderConfiguration {
        let settings: [String: JSONValue] = [
            "issuer": .string("https://\(name).example.com"), "clientID": "backend",
            "redirectURI": "https://app.example.com/callback",
        ]
        return ProviderConfiguration(
            name: name, type: OpenIDConnectPlugin.type, settings: .object(settings.merging(more) { $1 }))
    }

    @Test("People of a new tenant can sign in at once, and a misspelt setting is refused")
    func added() throws {
        let people = IdentityConfiguration(store: .memory, providers: [provider("people")])
        let client = try Backend.makeClient(people).client
        try add(provider("tenant"), to: client)
        #expect(throws: (any Error).self) { try add(provider("other", ["bindTokens": true]), to: client) }
        #expect(client.links.map(\.name) == ["people", "tenant"])
        #expect(client.links.allSatisfy { $0.provider is OAuthSessionProvider })
    }
}
