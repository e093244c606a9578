import Foundation
import IdentityKit

/// `GET /api/auth/profiles/:userId`: anybody may read any profile.
struct ReadProfile: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        guard let id = UUID(uuidString: call.parameter("userID"))?.uuidString.lowercased() else {
            throw InsForgeFailure.invalidInput("Invalid user ID format")
        }
        guard let user = call.backend.users.user(id: id) else { throw InsForgeFailure.userNotFound }
        return user.profileAnswer
    }
}

/// `PATCH /api/auth/profiles/current`: merges members into the profile; none can be removed.
struct UpdateProfile: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        let subject = try call.verifyToken().subject
        var fields = call.fields
        let changes = fields.object("profile")
        try fields.check()
        // The role is not checked, so an administrator's subject reaches the database, which knows UUIDs alone.
        guard UUID(uuidString: subject) != nil else {
            throw InsForgeFailure.internalError("invalid input syntax for type uuid: \"\(subject)\"")
        }
        let user = call.backend.users.update(id: subject) {
            $0.profile.merge(changes) { $1 }
            $0.updatedAt = call.backend.time.now
        }
        guard let user else { throw InsForgeFailure.userNotFound }
        return user.profileAnswer
    }
}

extension InsForgeUser {
    fileprivate var profileAnswer: LocalResponse {
        .insForge(["id": .string(id), "profile": .object(profile)])
    }
}
