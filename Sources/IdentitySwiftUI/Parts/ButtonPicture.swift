import Foundation
import IdentityKit

/// The picture on a button: one of the app's assets, the server's, a system symbol, or a letter.
package struct ButtonPicture: Equatable, Sendable {
    /// Names of the app's assets to look for, best first.
    package let names: [String]
    /// Address of the server's picture; `nil` for none.
    package let address: URL?
    /// Name of a system symbol; `nil` to use the letter.
    package let symbol: String?
    /// Letter to show without a symbol; `nil` for none.
    package let letter: String?

    package init(names: [String], address: URL? = nil, symbol: Symbol? = nil, letter: String? = nil) {
        (self.names, self.address, self.symbol) = (names, address, symbol?.rawValue)
        self.letter = symbol == nil ? letter : nil
    }

    /// The symbols to use without an asset of the app.
    package enum Symbol: String {
        case apple = "apple.logo"
        case passkey = "person.badge.key.fill"
        case chosen = "checkmark"
    }
}

extension SignInRow.Button {
    /// The picture of the vendor or of a passkey; `nil` for a button without one.
    package var picture: ButtonPicture? {
        if isPasskey { return ButtonPicture(names: ["passkey"], symbol: .passkey) }
        return vendor.map { ButtonPicture(names: [$0], symbol: $0 == "apple" ? .apple : nil) }
    }
}

#if canImport(SwiftUI)
import SwiftUI

/// A picture with the height of a line of text.
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
    /// The picture with this name among the app's assets; `nil` for none.
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
