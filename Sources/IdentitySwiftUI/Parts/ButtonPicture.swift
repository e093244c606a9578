import Foundation
import IdentityKit

/// The picture on a button: an asset of the app, the image at an address, a system symbol, or a letter. The view shows
/// the first of these that is available.
package struct ButtonPicture: Equatable, Sendable {
    /// Names of assets to look for in the app, in order of preference.
    package let names: [String]
    /// Address from which the picture is loaded when the app has no asset; `nil` for none.
    package let address: URL?
    /// Name of a system symbol; `nil` to use the letter.
    package let symbol: String?
    /// Letter to show without a symbol; `nil` for none.
    package let letter: String?

    package init(names: [String], address: URL? = nil, symbol: Symbol? = nil, letter: String? = nil) {
        (self.names, self.address, self.symbol) = (names, address, symbol?.rawValue)
        self.letter = symbol == nil ? letter : nil
    }

    /// Names of the system symbols to show when the app has no asset.
    package enum Symbol: String {
        case apple = "apple.logo"
        case passkey = "person.badge.key.fill"
        case chosen = "checkmark"
    }
}

extension SignInRow.Button {
    /// The picture of a passkey or of the button's vendor; `nil` for a button with neither.
    package var picture: ButtonPicture? {
        if isPasskey { return ButtonPicture(names: ["passkey"], symbol: .passkey) }
        return vendor.map { ButtonPicture(names: [$0], symbol: $0 == "apple" ? .apple : nil) }
    }
}

#if canImport(SwiftUI)
import SwiftUI

/// A picture of 20 by 20 points, hidden from screen readers, which read the button's label.
struct ButtonPictureView: View {
    let picture: ButtonPicture

    var body: some View {
        if let image = picture.names.lazy.compactMap({ Image.asset(named: $0) }).first {
            sized(image.resizable().scaledToFit())
        } else if let address = picture.address {
            sized(
                AsyncImage(url: address) { image in
                    image.resizable().scaledToFit()
                } placeholder: {
                    Color.clear
                })
        } else if let symbol = picture.symbol {
            sized(Image(systemName: symbol))
        } else if let letter = picture.letter {
            sized(Text(verbatim: letter).bold())
        }
    }

    private func sized(_ content: some View) -> some View {
        content.frame(width: 20, height: 20).accessibilityHidden(true)
    }
}

extension Image {
    /// Returns the asset of the app with this name; `nil` if there is none, and always on watchOS.
    @MainActor package static func asset(named name: String) -> Image? {
        #if os(macOS)
        NSImage(named: name).map { Image(nsImage: $0) }
        #elseif os(watchOS)
        nil
        #else
        UIImage(named: name).map { Image(uiImage: $0) }
        #endif
    }
}
#endif
