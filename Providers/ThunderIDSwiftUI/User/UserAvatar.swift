#if canImport(SwiftUI)
import SwiftUI

/// The signed-in user's picture, or else the initials on a gradient.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct UserAvatar: View {
    @EnvironmentObject private var state: ThunderIDState
    @EnvironmentObject private var i18n: ThunderIDI18n
    private let size: CGFloat

    /// Creates a round picture.
    /// - Parameter size: the width and height of the picture, in points.
    public init(size: CGFloat = 40) {
        self.size = size
    }

    public var body: some View {
        PersonPicture(
            avatar: PersonAvatar(state.user, anonymous: i18n.texts.text(.userAnonymous)), size: size)
    }
}

/// Any user's picture, or else the initials on a gradient. It does not need `thunderIDProvider(config:)`.
public struct BaseUserAvatar: View {
    private let user: ThunderIDClient.User?
    private let size: CGFloat

    /// Creates a round picture.
    /// - Parameters:
    ///   - user: the user; with `nil`, the picture shows the initial of “Guest”.
    ///   - size: the width and height of the picture, in points.
    public init(user: ThunderIDClient.User?, size: CGFloat = 40) {
        self.user = user
        self.size = size
    }

    public var body: some View { PersonPicture(avatar: PersonAvatar(user), size: size) }
}

/// A round picture of a person. The initials appear until the picture is loaded, and if there is none.
struct PersonPicture: View {
    let avatar: PersonAvatar
    let size: CGFloat

    var body: some View {
        picture
            .frame(width: size, height: size)
            .clipShape(Circle())
            .accessibilityElement(children: .ignore)
            .accessibilityLabel(Text(verbatim: avatar.name))
    }

    @ViewBuilder private var picture: some View {
        switch avatar.picture {
        case .url(let address):
            AsyncImage(url: URL(string: address)) { image in
                image.resizable().scaledToFill()
            } placeholder: {
                initials
            }
        case .emoji, .avatar: avatar.picture.map { LogoView(resolved: $0) }
        case nil: initials
        }
    }

    private var initials: some View {
        Badge(
            text: avatar.initials, colors: [avatar.startColorHex, avatar.endColorHex],
            angleDegrees: avatar.angleDegrees, isRound: true, scale: 0.4)
    }
}

struct UserAvatarPreviews: PreviewProvider {
    static var previews: some View {
        Preview.both {
            UserAvatar()
            BaseUserAvatar(user: Preview.user, size: 80)
        }
    }
}
#endif
