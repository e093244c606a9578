import Foundation
import IdentityKit
import IdentityOAuth

extension ServerAPI {
    /// The server's metadata, from the discovery document below the base URL.
    ///
    /// The issuer of a ThunderID server may differ from its address, so the document's issuer is used without comparing
    /// it with the base URL.
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
