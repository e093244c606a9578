import Foundation
import IdentityKit
import IdentityOAuth

extension ServerAPI {
    /// Fetches the server's metadata: `.well-known/openid-configuration` below the base URL.
    ///
    /// The issuer of a ThunderID server may differ from its address, so the document's issuer is used without comparing
    /// it with the base URL.
    /// - Throws: ``IAMError`` for a failed request or a response without a document; ``OAuthError`` for unusable metadata;
    ///   `CancellationError`.
    func metadata(_ transportSecurity: TransportSecurity) async throws -> AuthorizationServerMetadata {
        let (data, response) = try await response("GET", ".well-known/openid-configuration")
        guard response.statusCode != 404 else { throw Self.noServer(response) }
        guard response.statusCode == 200, let document = try? JSONValue(parsing: data).objectValue else {
            throw IAMError(
                .serverError,
                "The server does not describe its endpoints (status \(response.statusCode)). Check the base URL.")
        }
        return try AuthorizationServerMetadata(members: document, transportSecurity: transportSecurity)
    }
}
