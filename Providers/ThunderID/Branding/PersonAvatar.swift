import Foundation
import IdentityKit

/// A person's picture, and the initials on a gradient to show without a picture.
public struct PersonAvatar: Sendable, Hashable {
    /// The user's name, or else the user name, or else the e-mail address. If all of them are missing, the initializer's
    /// argument `anonymous`.
    public let name: String
    /// The first characters of the first two words of the name, in upper case.
    public let initials: String
    /// The first usable picture among the user's attributes; `nil` if there is none. The address of a picture is usable only if
    /// it is an `https` address without user name and password, of at most 2,048 bytes.
    public let picture: ResolvedLogo?
    /// The first color of the gradient behind the initials, as `#RRGGBB`.
    public let startColorHex: String
    public let endColorHex: String
    /// The direction of the gradient in degrees, from -45 to 45: 0 is to the right, 45 to the lower right.
    public let angleDegrees: Double

    /// Chooses the picture, name and gradient for a user. The gradient depends only on the name.
    /// - Parameters:
    ///   - user: the user; with `nil`, the name is the argument `anonymous`, and there is no picture.
    ///   - anonymous: the name to display for a user without a name, user name and e-mail address.
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
        // Subtract 90 degrees, because ThunderID's rule counts from the top, as CSS does.
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
