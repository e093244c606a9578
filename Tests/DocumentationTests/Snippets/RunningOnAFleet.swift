import Foundation
import IdentityKit
import IdentityPostgres
import IdentityOAuthProviders

// snippet: registering-a-store
func registry() -> ProviderRegistry {
    var registry = ProviderRegistry([OpenIDConnectPlugin.self])
    registry.register(PostgresStorePlugin.self)
    return registry
}
// end snippet
