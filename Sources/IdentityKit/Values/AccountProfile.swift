import Foundation

/// The names, e-mail address and picture of an account, for display.
///
/// The values are those that the backend sent last. They do not identify the account: two accounts may have the same
/// name, and names change. Compare ``/IdentityCore/AccountID`` instead.
public struct AccountProfile: Sendable, Hashable, Codable {
    public var displayName: String?
    public var email: String?
    /// The name that the user signs in with.
    public var username: String?
    /// URL of a picture of the account; `nil` when the backend sent none. A stored session keeps neither a data
    /// URL nor a URL of more than 2048 bytes.
    public var picture: URL?
    /// Whether the backend reports the e-mail address as unverified; `false` also when the backend does not report whether
    /// the address is verified. An unverified address is shown, but cannot be used to refer to the account.
    public var isEmailUnverified: Bool {
        get { unverifiedEmail ?? false }
        set { unverifiedEmail = newValue ? true : nil }
    }

    /// Optional, because records of earlier versions lack this member. Never `false`, so that equal profiles compare as
    /// equal.
    private var unverifiedEmail: Bool?

    /// Creates a profile, with `nil` in place of empty texts.
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
        isEmailUnverified = stored["unverifiedEmail"] == true
    }

    /// Whether every member is missing.
    package var isEmpty: Bool { self == AccountProfile() }

    /// The display name, or else the e-mail address, or else the user name; `nil` when all of them are missing.
    public var label: String? { displayName ?? email ?? username }

    /// Texts to show below the ``label``: the e-mail address and the user name, unless they equal the label or each other.
    package var details: [String] {
        [email, username == email ? nil : username].compactMap { $0 }.filter { $0 != label }
    }

    /// Texts by which a person may refer to the account. Excludes an unverified address, which may be somebody else's.
    package var names: [String] { [isEmailUnverified ? nil : email, username, displayName].compactMap(\.self) }

    /// Whether `text` is one of the ``names``, without regard to case.
    package func isCalled(_ text: String) -> Bool { names.contains { $0.lowercased() == text.lowercased() } }

    package func completed(with older: AccountProfile?) -> AccountProfile {
        var profile = AccountProfile(
            displayName: displayName ?? older?.displayName, email: email ?? older?.email,
            username: username ?? older?.username, picture: picture ?? older?.picture)
        profile.isEmailUnverified = email == nil ? older?.isEmailUnverified ?? false : isEmailUnverified
        return profile
    }
}

extension AccountProfile? {
    package func completed(with older: AccountProfile?) -> AccountProfile? { self?.completed(with: older) ?? older }
}

extension String? {
    /// The text; `nil` when it is empty.
    package var nonEmpty: String? { self?.isEmpty == false ? self : nil }
}
