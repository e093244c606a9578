#if canImport(SwiftUI)
import SwiftUI

extension View {
    /// Makes the return key press the button, on systems with a keyboard.
    @ViewBuilder package func pressedByReturn() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        keyboardShortcut(.defaultAction)
        #endif
    }

    /// Adds a frame to a text field, on systems where text fields have none.
    @ViewBuilder package func framed() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        textFieldStyle(.roundedBorder)
        #endif
    }

    /// Makes a text selectable, where the system supports it.
    @ViewBuilder package func selectable() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        textSelection(.enabled)
        #endif
    }

    /// Draws a button as plain text.
    @ViewBuilder package func quiet() -> some View {
        #if os(tvOS)
        buttonStyle(.bordered)
        #else
        buttonStyle(.borderless)
        #endif
    }
}
#endif
