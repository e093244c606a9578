import Foundation
import IdentityKit
import OAuthKit

/// Finds a ThunderID server's endpoints.
///
/// The issuer of a ThunderID server may differ from the address it is reached at (contract 2.9), so it is taken from the
/// document instead of compared with the base URL.
enum ServerMetadata {
    /// Fetches the discovery document below the base URL.
    static func fetch(
        from server: ServerAPI, transportSecurity: TransportSecurity
    ) async throws -> AuthorizationServerMetadata {
        let (data, response) = try await server.answer("GET", ".well-known/openid-configuration")
        guard response.statusCode == 200, let document = try? JSONValue(parsing: data).objectValue else {
            throw IAMError(
                .serverError,
                "The server does not describe its endpoints (status \(response.statusCode)). "
                    + "Check the base URL.")
        }
        return try AuthorizationServerMetadata(members: document, transportSecurity: transportSecurity)
    }
}
