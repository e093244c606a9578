import Foundation
import IdentityKit
import IdentityPostgres
import IdentityOAuthProviders

// snippet: registering-a-store
func registry() -> ProviderRegistry {
    var registry = ProviderRegistry([OpenIDConnectPlugin.self])
    registry.stores.register(PostgresStorePlugin.self)
    return registry
}
// end snippet

// snippet: adding-a-tenant
func add(_ tenant: ProviderConfiguration, to client: IdentityClient) throws {
    try client.reconfigure { $0.providers.append(tenant) }
}
// end snippet
