import Foundation

/// Names one account at one identity backend.
///
/// `realm` is the name of the provider the account belongs to, unique in a configuration; `account` is the backend's
/// own, stable identifier of the person (OpenID Connect's `sub`, never an e-mail address, which can change hands).
public struct AccountID: Hashable, Codable, Sendable, Identifiable {
    /// The backend's identifier of the person.
    public let account: String
    /// The provider the account belongs to.
    public let realm: String

    /// Names the account `account` of the provider `realm`.
    public init(account: String, realm: String) {
        self.account = account
        self.realm = realm
    }

    /// One string that names the account everywhere: `realm/account`, with `%` and `/` escaped in both parts, so that
    /// two different accounts never share it.
    public var id: String {
        Self.escape(realm) + "/" + Self.escape(account)
    }

    /// Reads an ``id``; `nil` when `id` has another form.
    public init?(id: String) {
        let parts = id.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let realm = parts[0].removingPercentEncoding,
            let account = parts[1].removingPercentEncoding, !realm.isEmpty, !account.isEmpty
        else { return nil }
        self.init(account: account, realm: realm)
    }

    private static func escape(_ part: String) -> String {
        part.replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: "/", with: "%2F")
    }
}

extension AccountID: CustomStringConvertible {
    /// The ``id``.
    public var description: String { id }
}
