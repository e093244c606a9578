#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// A button of at least 44 by 44 points, large enough for a finger. The rank decides how prominent the button is. The
/// return key presses the button of primary rank. A button without a rank is as wide as its label, and has the style that
/// the app sets.
package struct RankedButton: View {
    private let label: String
    private let host: String?
    private let picture: ButtonPicture?
    private let rank: SignInPrompt.Action.Rank?
    private let role: ButtonRole?
    private let isEnabled: Bool
    private let identifier: String
    private let action: () -> Void

    package init(
        _ label: String, host: String? = nil, picture: ButtonPicture? = nil, rank: SignInPrompt.Action.Rank?,
        role: ButtonRole? = nil, isEnabled: Bool = true, identifier: String = "", action: @escaping () -> Void
    ) {
        (self.label, self.host, self.picture, self.rank, self.role) = (label, host, picture, rank, role)
        (self.isEnabled, self.identifier, self.action) = (isEnabled, identifier, action)
    }

    package var body: some View {
        switch rank {
        case .primary: plain.buttonStyle(.borderedProminent).pressedByReturn()
        case .secondary: plain.buttonStyle(.bordered)
        case .quiet: plain.quiet()
        case nil: plain
        }
    }

    private var plain: some View {
        Button(role: role) {
            action()
        } label: {
            HStack(spacing: 10) {
                if let picture { ButtonPictureView(picture: picture) }
                VStack(alignment: .center, spacing: 2) {
                    Text(verbatim: label)
                    if let host { Text(verbatim: host).font(.subheadline) }
                }
            }
            .frame(minWidth: 44, maxWidth: rank == nil ? nil : .infinity, minHeight: 44)
        }
        .disabled(!isEnabled)
        .accessibilityIdentifier(identifier)
    }
}
#endif
