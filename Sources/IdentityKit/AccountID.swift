import Foundation

/// Identifies one account at one identity backend.
///
/// `realm` is the name of the account's provider, unique in a configuration; `account` is the backend's own, stable
/// identifier of the user (OpenID Connect's `sub`, never an e-mail address, which can get another owner).
///
/// Identifiers are compared byte by byte (OpenID Connect Core section 2): two spellings of a character in Unicode name two
/// accounts.
public struct AccountID: Hashable, Codable, Sendable, Identifiable {
    /// The backend's identifier of the user.
    public let account: String
    /// The name of the account's provider.
    public let realm: String

    /// Names the account `account` of the provider `realm`.
    public init(account: String, realm: String) {
        self.account = account
        self.realm = realm
    }

    /// `realm/account`, with `%` and `/` escaped in both parts, so that different accounts have different identifiers.
    public var id: String {
        Self.escape(realm) + "/" + Self.escape(account)
    }

    /// Reads an ``id``; `nil` when `id` has another form.
    public init?(id: String) {
        // By bytes: a slash and a combining character after it are one character of the text.
        let parts = id.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard parts.count == 2, let realm = parts[0].removingPercentEncoding,
            let account = parts[1].removingPercentEncoding, !realm.isEmpty, !account.isEmpty
        else { return nil }
        self.init(account: account, realm: realm)
    }

    private static func escape(_ part: String) -> String {
        var escaped: [UInt8] = []
        for byte in part.utf8 {
            switch byte {
            case UInt8(ascii: "%"): escaped += Array("%25".utf8)
            case UInt8(ascii: "/"): escaped += Array("%2F".utf8)
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

extension AccountID: Comparable {
    /// Whether both parts are the same bytes.
    public static func == (left: AccountID, right: AccountID) -> Bool {
        left.account.hasBytes(of: right.account) && left.realm.hasBytes(of: right.realm)
    }

    /// By realm and then by account, in the order of their bytes.
    public static func < (left: AccountID, right: AccountID) -> Bool {
        guard left.realm.hasBytes(of: right.realm) else {
            return left.realm.utf8.lexicographicallyPrecedes(right.realm.utf8)
        }
        return left.account.utf8.lexicographicallyPrecedes(right.account.utf8)
    }

    /// Feeds the bytes of both parts.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: account)
        hasher.combine(bytesOf: realm)
    }
}

extension AccountID: CustomStringConvertible {
    /// The ``id``.
    public var description: String { id }
}
