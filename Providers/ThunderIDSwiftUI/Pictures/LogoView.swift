#if canImport(SwiftUI)
import IdentitySwiftUI
import SwiftUI

/// A logo that ThunderID stores as a text: an emoji, a picture to generate, or an address. It fills the available space.
///
/// Pictures are loaded only from `https` addresses. Any text without a colon is the name of an asset of the app.
public struct LogoView: View {
    private let resolved: ResolvedLogo

    /// Creates the logo that a text describes.
    /// - Parameters:
    ///   - spec: the text, such as `emoji:🛡️`, `avatar:content=N`, or an address.
    ///   - fallbackSeedText: the text for a generated picture without content, such as the name of an app.
    public init(spec: String, fallbackSeedText: String = "") {
        self.init(resolved: resolveLogoSpec(spec, fallbackSeedText: fallbackSeedText))
    }

    public init(resolved: ResolvedLogo) {
        self.resolved = resolved
    }

    public var body: some View {
        switch resolved {
        case .emoji(let glyph): Glyph(text: glyph)
        case .avatar(let spec): generated(spec)
        case .url(let name): picture(name)
        }
    }

    @ViewBuilder private func generated(_ spec: AvatarSpec) -> some View {
        if let image = LogoIconCatalog.image(of: spec) {
            image.resizable().scaledToFit()
        } else if let glyph = AnonymousGlyphs.glyph(for: spec) {
            Glyph(text: glyph)
        } else {
            AvatarView(spec: spec)
        }
    }

    @ViewBuilder private func picture(_ name: String) -> some View {
        if let address = resolved.imageAddress {
            AsyncImage(url: address) { image in
                image.resizable().scaledToFit()
            } placeholder: {
                Color.clear
            }
        } else if !name.contains(":"), let image = Image.asset(named: name) {
            image.resizable().scaledToFit()
        } else {
            Color.clear
        }
    }
}

private struct Glyph: View {
    let text: String

    var body: some View {
        GeometryReader { space in
            Text(verbatim: text)
                .font(.system(size: min(space.size.width, space.size.height) * 0.8))
                .frame(width: space.size.width, height: space.size.height)
        }
    }
}

struct LogoViewPreviews: PreviewProvider {
    static var previews: some View {
        HStack {
            LogoView(spec: "emoji:🛡️")
            LogoView(spec: "avatar:variant=anonymous_animal,content=otter")
            LogoView(spec: "avatar:", fallbackSeedText: "Notes")
        }
        .frame(width: 180, height: 60)
    }
}
#endif
