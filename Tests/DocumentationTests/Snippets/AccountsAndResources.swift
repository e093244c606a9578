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
    let ada = client.scoped(to: account)

    let (mine, _) = try await client.data(for: request)
    let (hers, _) = try await ada.data(for: request)
    let reports = try await ada.accessToken(resource: "https://reports.example.com")
    // end snippet
    return (mine, hers, reports)
}
