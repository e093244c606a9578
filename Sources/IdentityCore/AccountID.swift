import Foundation

/// Identifies one account at one identity backend.
///
/// `realm` is the name of the account's provider, unique in a configuration. `account` is the stable identifier that
/// the backend gives the user, such as OpenID Connect's `sub`. An e-mail address is no such identifier, because it can
/// get another owner.
///
/// Two identifiers are equal only if their UTF-8 bytes are equal (OpenID Connect Core section 2). Canonically
/// equivalent Unicode texts, such as a composed and a decomposed "é", identify different accounts.
public struct AccountID: Hashable, Codable, Sendable, Identifiable {
    /// Stable identifier that the backend gives the user, such as OpenID Connect's `sub`.
    public let account: String
    public let realm: String

    /// Creates an identifier without checking the texts. If one of them is empty, ``init(id:)`` does not accept the
    /// ``id``.
    public init(account: String, realm: String) {
        self.account = account
        self.realm = realm
    }

    /// The text `realm/account`. In the realm and the account, `%` is written as `%25` and `/` as `%2F`, so that
    /// different accounts have different texts.
    public var id: String {
        Self.escape(realm) + "/" + Self.escape(account)
    }

    /// Creates an identifier from the text of an ``id``. Returns `nil` unless the text has exactly one `/`, neither the
    /// realm nor the account is empty, and both are valid percent-encoded UTF-8.
    public init?(id: String) {
        // Splits bytes, not characters: a slash and a combining character after it are one `Character`.
        let parts = id.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, let realm = Self.unescape(parts[0]), let account = Self.unescape(parts[1]),
            !realm.isEmpty, !account.isEmpty
        else { return nil }
        self.init(account: account, realm: realm)
    }

    /// Decodes the percent-encoding (RFC 3986 section 2.1) of a realm or an account. Returns `nil` when an escape is
    /// malformed, or the decoded bytes are not UTF-8.
    private static func unescape(_ part: Substring.UTF8View) -> String? {
        var (bytes, rest) = ([UInt8](), part[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexadecimalValue),
                let low = rest.popFirst().flatMap(hexadecimalValue)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.elementsEqual(bytes) ? text : nil
    }

    private static func hexadecimalValue(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.flatMap(UInt8.init(exactly:))
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
    /// Compares the UTF-8 bytes, so canonically equivalent spellings are different accounts.
    public static func == (left: AccountID, right: AccountID) -> Bool {
        left.account.hasBytes(of: right.account) && left.realm.hasBytes(of: right.realm)
    }

    /// Orders accounts by realm, then by account, comparing bytes.
    public static func < (left: AccountID, right: AccountID) -> Bool {
        guard left.realm.hasBytes(of: right.realm) else {
            return left.realm.utf8.lexicographicallyPrecedes(right.realm.utf8)
        }
        return left.account.utf8.lexicographicallyPrecedes(right.account.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: account)
        hasher.combine(bytesOf: realm)
    }
}

extension AccountID: CustomStringConvertible {
    public var description: String { id }
}
