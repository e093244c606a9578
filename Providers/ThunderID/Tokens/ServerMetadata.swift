import Foundation
import IdentityKit
import OAuthKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Finds a ThunderID server's endpoints.
///
/// The issuer of a ThunderID server may differ from the address it is reached at (ThunderID OAuth, discovery and issuer),
/// so it is taken from the document instead of compared with the base URL.
enum ServerMetadata {
    /// Fetches the discovery document below the base URL.
    static func fetch(
        from baseURL: ServerURL, using transport: any HTTPTransport, transportSecurity: TransportSecurity
    ) async throws -> AuthorizationServerMetadata {
        let url = baseURL.appending(".well-known/openid-configuration")
        let (data, response) = try await transport.data(for: URLRequest(url: url))
        guard response.statusCode == 200, let document = try? JSONValue(parsing: data).objectValue else {
            throw IAMError(
                .serverError,
                "The server does not describe its endpoints (status \(response.statusCode)). "
                    + "Check the base URL.")
        }
        return try AuthorizationServerMetadata(members: document, transportSecurity: transportSecurity)
    }
}
