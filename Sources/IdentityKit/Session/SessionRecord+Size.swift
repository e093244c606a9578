import Foundation

/// Limits the size of a session's record. A server may send a profile of any size, but stores have limits, such as 64 KiB in
/// the Keychain. Therefore, data for display and tokens that can be requested again are dropped so that the rest fits.
extension SessionRecord {
    /// Limit of a record's content in bytes. Even when it is encrypted, content of that size fits into every store.
    static let maximumSize = 48 * 1024

    /// Largest member of ``Credential/details`` that is never dropped, in bytes of JSON. Small members, such as the
    /// person's identifier, are needed to check sessions.
    fileprivate static let smallDetail = 256

    fileprivate static func json(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value)
    }

    fileprivate static func sizeIsBounded(_ content: Data) -> Bool { content.count <= maximumSize }
}

extension Credential {
    /// The content of this session's record, with long texts of the profile shortened.
    ///
    /// If the content exceeds the limit, values are omitted in this order, as far as needed: the largest details; the
    /// tokens for resources except for one, because they can be requested again; the profile; the last token for a
    /// resource.
    /// - Throws: ``/IdentityCore/TokenStoreError/tooLarge(size:limit:)`` when the rest is still too large.
    func stored() throws -> Data {
        var kept = self
        kept.profile = profile?.shortened
        var content = try SessionRecord.json(SessionRecord.live(kept))
        if SessionRecord.sizeIsBounded(content) { return content }
        try kept.dropDetails(of: content.count - SessionRecord.maximumSize)
        content = try SessionRecord.json(SessionRecord.live(kept))
        while !SessionRecord.sizeIsBounded(content), kept.profile != nil || kept.resourceTokenCount > 0 {
            if kept.resourceTokenCount > (kept.profile == nil ? 0 : 1) {
                kept.dropOldestToken()
            } else {
                kept.profile = nil
            }
            content = try SessionRecord.json(SessionRecord.live(kept))
        }
        if SessionRecord.sizeIsBounded(content) { return content }
        throw TokenStoreError.tooLarge(size: content.count, limit: SessionRecord.maximumSize)
    }

    /// Drops details, the largest first, until the record is smaller by `excess` bytes or only small details are left.
    private mutating func dropDetails(of excess: Int) throws {
        let sizes = try details.mapValues { try SessionRecord.json($0).count }
        var excess = excess
        // Sort details of equal size by name, so that equal sessions have equal records.
        for (name, size) in sizes.sorted(by: { ($0.value, $1.key) > ($1.value, $0.key) }) {
            guard excess > 0, size > SessionRecord.smallDetail else { return }
            details[name] = nil
            excess -= size
        }
    }
}

extension EndedSession {
    /// The content of this record. A long reason, which a server may have written, is shortened, and so are long texts
    /// of the profile.
    func stored() throws -> Data {
        var kept = self
        kept.endReason = endReason.prefix(ofBytes: AccountProfile.longestKeptText)
        kept.profile = profile?.shortened
        return try SessionRecord.json(SessionRecord.ended(kept))
    }
}

extension AccountProfile {
    /// Largest size of a stored text of the profile, in bytes of UTF-8.
    package static let longestKeptText = 2048

    /// The profile with no text above the limit. A longer display name is cut between two characters. A longer email
    /// address, user name or picture URL is omitted, and so is a picture in a data URL of any length.
    var shortened: AccountProfile {
        var kept = AccountProfile(
            displayName: displayName?.prefix(ofBytes: Self.longestKeptText), email: email?.unlessLong,
            username: username?.unlessLong,
            picture: picture.flatMap { $0.scheme?.lowercased() != "data" && $0.absoluteString.isShort ? $0 : nil })
        kept.isEmailUnverified = isEmailUnverified && kept.email != nil
        return kept
    }
}

extension String {
    fileprivate var isShort: Bool { utf8.count <= AccountProfile.longestKeptText }

    fileprivate var unlessLong: String? { isShort ? self : nil }

    /// The longest prefix of whole characters with at most `count` bytes of UTF-8.
    fileprivate func prefix(ofBytes count: Int) -> String {
        guard utf8.count > count else { return self }
        var (end, rest) = (startIndex, count)
        for character in self {
            rest -= character.utf8.count
            guard rest >= 0 else { break }
            formIndex(after: &end)
        }
        return String(self[..<end])
    }
}
