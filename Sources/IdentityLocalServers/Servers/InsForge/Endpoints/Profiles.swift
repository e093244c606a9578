import Foundation
import IdentityKit

extension InsForgeCall {
    /// `GET /api/auth/profiles/:userId`: every caller may read any profile.
    func readProfile() throws -> LocalResponse {
        guard let id = UUID(uuidString: parameter("userID"))?.uuidString.lowercased() else {
            throw InsForgeServerError.invalidInput("Invalid user ID format")
        }
        guard let user = backend.users.user(id: id) else { throw InsForgeServerError.userNotFound }
        return user.profileResponse
    }

    /// `PATCH /api/auth/profiles/current`: adds or replaces members of the caller's profile. No request can remove one.
    func updateProfile() throws -> LocalResponse {
        let subject = try verifyToken().subject
        var fields = fields
        let changes = fields.object("profile")
        try fields.check()
        // The real server does not check the role, so an administrator's subject reaches its database, which accepts only
        // UUIDs. Respond with the database's error.
        guard UUID(uuidString: subject) != nil else {
            throw InsForgeServerError.internalError("invalid input syntax for type uuid: \"\(subject)\"")
        }
        let user = backend.users.update(id: subject, at: backend.time.now) { $0.profile.merge(changes) { $1 } }
        guard let user else { throw InsForgeServerError.userNotFound }
        return user.profileResponse
    }
}

extension InsForgeUser {
    fileprivate var profileResponse: LocalResponse { .insForge(["id": .string(id), "profile": .object(profile)]) }
}
