import Foundation
import SwiftIdentity

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

func callProtectedAPI(
    prompter: any FlowPrompter, request: URLRequest
) async throws -> (Data, HTTPURLResponse) {
    // snippet: switching-backends
    let client = try IdentityClient(prompter: prompter)  // of identity.json, which is above
    try await client.signIn(scopes: ["openid"])
    let (data, response) = try await client.data(for: request)
    // end snippet
    return (data, response)
}
