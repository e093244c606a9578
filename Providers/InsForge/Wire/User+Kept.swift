import Foundation
import IdentityKit

extension User {
    /// The largest size of a stored user as JSON, in bytes. The session's record also needs room for the tokens.
    private static let largestKept = 24 * 1024

    /// The user without large members, to be stored with the session. Users can put any text into their profile, even
    /// pictures, so texts of more than 2 KiB and `data:` addresses are dropped. If the user is still too large, the
    /// providers, the metadata, and the profile except `name` and `avatar_url` are dropped too.
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
    /// The value without the long texts and `data:` addresses in it; `nil` if the value itself is a long text or a `data:`
    /// address.
    fileprivate var kept: JSONValue? {
        switch self {
        case .string(let text): text.kept.map(JSONValue.string)
        case .array(let elements): .array(elements.compactMap(\.kept))
        case .object(let members): .object(members.compactMapValues(\.kept))
        case .null, .bool, .integer, .number: self
        }
    }
}
