#if canImport(SwiftUI)
import SwiftUI

/// A button that can be hit with a finger, and does nothing while something is under way.
struct PlainButton: View {
    let label: String
    var isLoading = false
    var role: ButtonRole?
    let identifier: String
    let action: () -> Void

    var body: some View {
        Button(role: role) {
            action()
        } label: {
            Text(verbatim: label).frame(minWidth: 44, minHeight: 44)
        }
        .disabled(isLoading)
        .accessibilityIdentifier(identifier)
    }
}
#endif
