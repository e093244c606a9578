import Foundation

/// The name, address and picture of an account, for display.
///
/// It is what the backend sent last, and does not identify an account: two accounts may have the same name, and names
/// change. Compare ``/IdentityCore/AccountID``s.
public struct AccountProfile: Sendable, Hashable, Codable {
    /// The full name.
    public var displayName: String?
    /// The e-mail address.
    public var email: String?
    /// The name that the user signs in with.
    public var username: String?
    /// The address of a picture.
    public var picture: URL?

    /// A profile. Empty texts count as missing.
    public init(displayName: String? = nil, email: String? = nil, username: String? = nil, picture: URL? = nil) {
        self.displayName = displayName.nonEmpty
        self.email = email.nonEmpty
        self.username = username.nonEmpty
        self.picture = picture
    }

    init(stored: [String: JSONValue]) throws(JSONMembers.Defect) {
        var members = JSONMembers(stored)
        displayName = try members.textIfPresent("displayName")
        email = try members.textIfPresent("email")
        username = try members.textIfPresent("username")
        picture = try members.textIfPresent("picture").flatMap { URL(string: $0) }
    }

    /// Whether every member is missing.
    public var isEmpty: Bool { self == AccountProfile() }

    /// The name, else the e-mail address, else the user name.
    public var label: String? { displayName ?? email ?? username }

    /// What else the account is known by, to show below the ``label``: the e-mail address and the user name.
    public var details: [String] {
        [email, username == email ? nil : username].compactMap { $0 }.filter { $0 != label }
    }

    /// Whether `text` is the e-mail address, the user name or the name, without regard to case.
    package func isCalled(_ text: String) -> Bool {
        [email, username, displayName].contains { $0?.lowercased() == text.lowercased() }
    }

    package func completed(with older: AccountProfile?) -> AccountProfile {
        AccountProfile(
            displayName: displayName ?? older?.displayName, email: email ?? older?.email,
            username: username ?? older?.username, picture: picture ?? older?.picture)
    }
}

extension AccountProfile? {
    package func completed(with older: AccountProfile?) -> AccountProfile? { self?.completed(with: older) ?? older }
}

extension String? {
    /// `nil` for an empty text.
    package var nonEmpty: String? { self?.isEmpty == false ? self : nil }
}
