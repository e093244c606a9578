import Foundation
import IdentityKit

/// The picture on a button: that of the app, or the server's, or a sign of the system.
package struct ButtonPicture: Equatable, Sendable {
    /// The names that the app may have a picture under, the best first.
    package let names: [String]
    /// The server's picture; `nil` without one.
    package let address: URL?
    /// A symbol of the system; `nil` for a letter.
    package let symbol: String?
    /// The letter in the place of a symbol; `nil` for nothing.
    package let letter: String?

    /// A picture of a brand.
    package init(names: [String], address: URL? = nil, symbol: Symbol? = nil, letter: String? = nil) {
        (self.names, self.address, self.symbol) = (names, address, symbol?.rawValue)
        self.letter = symbol == nil ? letter : nil
    }

    /// The symbols that need no picture of the app.
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

/// A picture in the height of a line.
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
    /// A picture among the app's assets; `nil` without one.
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
