import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

func readForTwo(
    _ configuration: IdentityConfiguration, _ registry: ProviderRegistry, _ account: AccountID, _ request: URLRequest
) async throws -> (Data, Data, String) {
    // snippet: acting-for-two-accounts
    let client = try IdentityClient(configuration: configuration, registry: registry)

    let (mine, _) = try await client.data(for: request)
    let (hers, _) = try await client.data(for: request, as: account)
    let reports = try await client.accessToken(as: account, resource: "https://reports.example.com")
    // end snippet
    return (mine, hers, reports)
}
