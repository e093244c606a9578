import Foundation

/// How people know an account: what to show beside the identifier, the same for every provider.
///
/// It is what the backend said last, kept with the session, and proves nothing: two accounts may have the same name, and
/// a person may change theirs. Decide by ``AccountID``.
public struct AccountProfile: Sendable, Hashable, Codable {
    /// The full name, fit to be shown.
    public var displayName: String?
    /// The e-mail address.
    public var email: String?
    /// What the person types to sign in.
    public var username: String?
    /// Where a picture of the person is.
    public var picture: URL?

    /// A profile. Empty texts count as unknown.
    public init(displayName: String? = nil, email: String? = nil, username: String? = nil, picture: URL? = nil) {
        self.displayName = displayName.nonEmpty
        self.email = email.nonEmpty
        self.username = username.nonEmpty
        self.picture = picture
    }

    /// Whether nothing is known.
    public var isEmpty: Bool { self == AccountProfile() }

    /// What to call the person: the name, else the e-mail address, else the user name.
    public var label: String? { displayName ?? email ?? username }

    /// Whether a person who types `text` means this account: its e-mail address or user name, in any case, or its name.
    package func isCalled(_ text: String) -> Bool {
        [email, username, displayName].contains { $0?.lowercased() == text.lowercased() }
    }

    /// This profile, completed with what only `older` knows.
    package func completed(with older: AccountProfile?) -> AccountProfile {
        AccountProfile(
            displayName: displayName ?? older?.displayName, email: email ?? older?.email,
            username: username ?? older?.username, picture: picture ?? older?.picture)
    }
}

extension AccountProfile? {
    /// This profile, completed with what only `older` knows.
    package func completed(with older: AccountProfile?) -> AccountProfile? { self?.completed(with: older) ?? older }
}

extension String? {
    fileprivate var nonEmpty: String? { self?.isEmpty == false ? self : nil }
}
