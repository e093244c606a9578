import Foundation

/// Identifies one account at one identity backend.
///
/// `realm` is the name of the account's provider, unique in a configuration; `account` is the backend's own, stable
/// identifier of the user (OpenID Connect's `sub`, never an e-mail address, which can get another owner).
///
/// Identifiers are compared byte by byte (OpenID Connect Core section 2): two spellings of a character in Unicode name two
/// accounts.
public struct AccountID: Hashable, Codable, Sendable, Identifiable {
    /// Stable identifier that the backend gives the user, such as OpenID Connect's `sub`.
    public let account: String
    public let realm: String

    /// Does not check the names: any text is allowed in either part.
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
        // Splits bytes, not characters: a slash and a combining character after it are one `Character`.
        let parts = id.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, let realm = Self.unescape(parts[0]), let account = Self.unescape(parts[1]),
            !realm.isEmpty, !account.isEmpty
        else { return nil }
        self.init(account: account, realm: realm)
    }

    /// A part without its escapes (RFC 3986 section 2.1); `nil` when one is malformed, or the bytes are not UTF-8.
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
