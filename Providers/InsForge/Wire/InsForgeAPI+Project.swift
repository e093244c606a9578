import Foundation
import IdentityKit

/// Requests for profiles, the public configuration, and the anonymous key.
extension InsForgeAPI {
    /// Sends `GET /api/auth/public-config`, which needs no credential.
    func publicConfig() async throws -> PublicConfig {
        try await send(get("auth/public-config"))
    }

    /// Sends `GET /api/auth/profiles/{id}`, which needs no credential.
    /// - Throws: ``InsForgeAuthError``, also ``InsForgeAuthError/invalidInput(_:)`` unless the identifier is a UUID,
    ///   because it becomes part of a path; or `CancellationError`.
    func profile(userID: String) async throws -> Profile {
        guard let id = UUID(uuidString: userID)?.uuidString.lowercased() else {
            throw InsForgeAuthError.invalidInput("The identifier of a user is a UUID.")
        }
        return try await send(get("auth/profiles/" + id))
    }

    func updateProfile(_ members: [String: JSONValue], _ accessToken: String) async throws -> Profile {
        try await send(
            call("auth/profiles/current", ["profile": .object(members)], method: "PATCH", bearer: accessToken),
            during: .user)
    }

    func rotateAnonKey(gracePeriodHours: Double?, _ adminToken: Secret) async throws -> AnonKeyRotation {
        let body = gracePeriodHours.map { ["gracePeriodHours": JSONValue.number($0)] } ?? [:]
        return try await send(call("secrets/anon-key/rotate", body, bearer: adminToken.reveal()), during: .admin)
    }
}
