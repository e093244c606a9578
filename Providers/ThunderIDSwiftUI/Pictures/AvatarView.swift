#if canImport(SwiftUI)
import SwiftUI

/// A generated picture with letters, as large as the available space allows.
public struct AvatarView: View {
    private let avatar: GeneratedAvatar

    /// Creates the picture that `spec` describes.
    public init(spec: AvatarSpec) {
        self.init(avatar: generateAvatar(spec))
    }

    public init(avatar: GeneratedAvatar) {
        self.avatar = avatar
    }

    public var body: some View {
        Badge(
            text: avatar.initials,
            colors: [
                avatar.flatBackgroundHex ?? avatar.startColorHex ?? "",
                avatar.flatBackgroundHex ?? avatar.endColorHex ?? "",
            ],
            angleDegrees: avatar.angleDegrees ?? 0, isRound: avatar.shape == .circle)
    }
}

/// A text on a gradient, in a circle or in a square with rounded corners.
struct Badge: View {
    let text: String
    let colors: [String]
    let angleDegrees: Double
    let isRound: Bool
    /// The font size as a fraction of the length of a side.
    var scale: Double = 0.36

    var body: some View {
        GeometryReader { space in
            let side = min(space.size.width, space.size.height)
            Text(verbatim: text)
                .font(.system(size: side * scale, weight: .semibold))
                .foregroundColor(.white)
                .frame(width: side, height: side)
                .background(
                    gradient, in: RoundedRectangle(cornerRadius: side * (isRound ? 0.5 : 0.23), style: .circular)
                )
                .frame(width: space.size.width, height: space.size.height)
        }
        .accessibilityHidden(true)
    }

    private var gradient: LinearGradient {
        let radians = angleDegrees * .pi / 180
        let (across, down) = (cos(radians) / 2, sin(radians) / 2)
        return LinearGradient(
            colors: colors.map { Color(hex: $0) }, startPoint: UnitPoint(x: 0.5 - across, y: 0.5 - down),
            endPoint: UnitPoint(x: 0.5 + across, y: 0.5 + down))
    }
}

extension Color {
    /// Creates a color from `#RRGGBB` or `#RGB`; gray for any other text.
    init(hex: String) {
        guard let color = ColorText(hex) else {
            self = .gray
            return
        }
        self.init(red: color.red, green: color.green, blue: color.blue)
    }
}

struct AvatarViewPreviews: PreviewProvider {
    static var previews: some View {
        HStack {
            AvatarView(spec: AvatarSpec(shape: .circle, variant: .twoLetter, content: "BM", colors: 2))
            AvatarView(spec: AvatarSpec(shape: .rounded, variant: .oneLetter, content: "N", colors: 0, bg: "#335577"))
        }
        .frame(width: 120, height: 60)
    }
}
#endif
