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

    /// `PATCH /api/auth/profiles/current`: merges members into the profile, and can remove none.
    func updateProfile() throws -> LocalResponse {
        let subject = try verifyToken().subject
        var fields = fields
        let changes = fields.object("profile")
        try fields.check()
        // The server does not check the role, so an administrator's subject reaches the database, which accepts only UUIDs.
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
