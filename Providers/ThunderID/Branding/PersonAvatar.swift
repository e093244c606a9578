import Foundation
import IdentityKit

/// The picture of a person, or else the initials on a gradient.
public struct PersonAvatar: Sendable, Hashable {
    /// The name to display.
    public let name: String
    /// Up to two initials of the name.
    public let initials: String
    /// The person's picture; `nil` without one that may be shown. Its address uses `https`.
    public let picture: ResolvedLogo?
    /// The first colour of the gradient behind the initials, as `#RRGGBB`.
    public let startColorHex: String
    public let endColorHex: String
    /// The direction of the gradient in degrees: 0 is to the right, 90 down.
    public let angleDegrees: Double

    /// Finds a user's picture and name.
    /// - Parameters:
    ///   - user: the user; `nil` without one.
    ///   - anonymous: the name to display for a user without one.
    public init(_ user: ThunderIDClient.User?, anonymous: String = "Guest") {
        let name = user?.profile.label ?? anonymous
        self.name = name
        initials = String(name.split(whereSeparator: \.isWhitespace).prefix(2).compactMap(\.first)).uppercased()
        picture = Self.pictures(of: user).lazy.compactMap { Self.picture($0, named: name) }.first
        let hash = AvatarHash.size(name)
        let hue = 2 * hash % 360
        startColorHex = Self.color(hue: hue, saturation: 70 + hash % 20, lightness: 55 + hash % 15)
        endColorHex = Self.color(
            hue: (hue + 60 + hash % 120) % 360, saturation: 70 + hash % 20, lightness: 60 + 2 * hash % 15)
        // ThunderID's rule counts degrees from the top, as web pages do.
        angleDegrees = Double(45 + hash % 91 - 90)
    }

    private static func color(hue: Int, saturation: Int, lightness: Int) -> String {
        ColorText(hue: Double(hue), saturation: Double(saturation) / 100, lightness: Double(lightness) / 100).text
    }

    private static func pictures(of user: ThunderIDClient.User?) -> [String] {
        guard let user else { return [] }
        // The claim `profile` is not used, because it is a page's address (OpenID Connect Core section 5.1).
        let claims = ["picture", "profilePicture", "profileUrl", "avatarUrl", "avatar"].map(user.text)
        return ([user.profilePicture] + claims).compactMap(ThunderIDClient.User.shown)
    }

    private static func picture(_ text: String, named name: String) -> ResolvedLogo? {
        switch resolveLogoSpec(text, fallbackSeedText: name) {
        case .url(let address): URL(pictureAt: address).map { .url($0.absoluteString) }
        case let logo: logo
        }
    }
}

extension ThunderIDClient.User {
    fileprivate func text(_ claim: String) -> String? { claims?[claim]?.json.stringValue }
}
