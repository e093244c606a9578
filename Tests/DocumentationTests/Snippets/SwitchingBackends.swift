import Foundation
import IdentityKit
import InsForge
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

func callProtectedAPI(
    file: URL, prompter: any FlowPrompter, request: URLRequest
) async throws -> (Data, HTTPURLResponse) {
    // snippet: switching-backends
    let client = try IdentityClient(
        configuration: IdentityConfiguration(contentsOf: file),
        registry: ProviderRegistry([ThunderIDPlugin.self, InsForgePlugin.self]),
        prompter: prompter)

    try await client.signIn(scopes: ["openid"])
    let (data, response) = try await client.data(for: request)
    // end snippet
    return (data, response)
}

// Acts for an account, whichever is active.
func actingForOne(_ client: IdentityClient, account: AccountID, request: URLRequest) async throws {
    // snippet: scoped-client
    let ada = client.scoped(to: account)
    let (data, response) = try await ada.data(for: request)
    // end snippet
    _ = (data, response)
}
