import Foundation
import IdentityKit
import IdentityOAuth

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// snippet: any-oauth-server
func forge(authorize: URL, token: URL, user: URL) throws -> OAuthServer {
    var forge = try OAuthServer(
        type: "forge", backend: "https://forge.example.com", client: OAuthClient(id: "example-app"),
        endpoints: [.authorization: authorize, .token: token],
        account: .request(user, headers: ["X-API-Version": "2"], identifier: "id"))
    forge.scopes = ["read:user"]
    forge.redirectURI = URL(string: "com.example.app:/callback")
    forge.tokenResponseFormat.scopeSeparator = ","
    return forge
}
// end snippet

// snippet: calling-a-server
/// Calls a method of a server of the Model Context Protocol, over its HTTP transport.
func call(_ method: String, _ parameters: JSONValue, at server: URL, by client: IdentityClient) async throws -> Data {
    var request = URLRequest(url: server)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("application/json, text/event-stream", forHTTPHeaderField: "Accept")
    request.httpBody = try JSONEncoder().encode(
        ["jsonrpc": "2.0", "id": 1, "method": .string(method), "params": parameters] as JSONValue)
    let (data, response) = try await client.data(for: request, mayShowSignIn: true)
    guard response.statusCode == 200 else { throw URLError(.badServerResponse) }
    return data
}
// end snippet
