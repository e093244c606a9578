import Foundation
import IdentityKit

extension User {
    /// The largest description that is stored, in bytes, because the record also needs room for the tokens.
    private static let largestKept = 24 * 1024

    /// The part of the user that is stored with the session. Users can store any text, even pictures: texts of more
    /// than 2 KiB and pictures in `data:` addresses are dropped, and of a description that is still too large
    /// everything but the name and the picture's address.
    var kept: User {
        let kept = User(
            id: id, email: email.kept ?? "", emailVerified: emailVerified, createdAt: createdAt.kept ?? "",
            updatedAt: updatedAt.kept ?? "", providers: providers?.compactMap(\.kept),
            profile: profile.map { UserProfile(members: $0.members.compactMapValues(\.kept)) }, metadata: metadata?.kept
        )
        guard let size = try? JSONEncoder().encode(kept).count, size > Self.largestKept else { return kept }
        let shown = kept.profile?.members.filter {
            ["name", "avatar_url"].contains($0.key) && $0.value.stringValue != nil
        }
        return User(
            id: id, email: kept.email, emailVerified: emailVerified, createdAt: kept.createdAt,
            updatedAt: kept.updatedAt, providers: nil, profile: shown.map(UserProfile.init(members:)), metadata: nil)
    }
}

extension String {
    fileprivate var kept: String? {
        utf8.count <= AccountProfile.longestKeptText && !prefix(5).lowercased().hasPrefix("data:") ? self : nil
    }
}

extension JSONValue {
    /// The value without long texts.
    fileprivate var kept: JSONValue? {
        switch self {
        case .string(let text): text.kept.map(JSONValue.string)
        case .array(let elements): .array(elements.compactMap(\.kept))
        case .object(let members): .object(members.compactMapValues(\.kept))
        case .null, .bool, .integer, .number: self
        }
    }
}
