import Foundation
import IdentityKit

func reload(
    configuration: IdentityConfiguration, newConfiguration: IdentityConfiguration, registry: ProviderRegistry,
    environment: IdentityEnvironment, file: URL
) throws -> Task<Void, Never> {
    // snippet: reloading
    let client = try IdentityClient(configuration: configuration, registry: registry, environment: environment)
    let change = try client.reload(newConfiguration)
    print(change)  // added guest; changed home
    let following = Task { await client.follow(file) }
    // end snippet
    return following
}
