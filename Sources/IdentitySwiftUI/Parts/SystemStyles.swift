#if canImport(SwiftUI)
import SwiftUI

extension View {
    /// The return key presses it, where there is a keyboard.
    @ViewBuilder package func pressedByReturn() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        keyboardShortcut(.defaultAction)
        #endif
    }

    /// A text field with a frame, where fields do not have one by themselves.
    @ViewBuilder package func framed() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        textFieldStyle(.roundedBorder)
        #endif
    }

    /// A text that can be copied.
    @ViewBuilder package func selectable() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        textSelection(.enabled)
        #endif
    }

    /// A button that is drawn as a text.
    @ViewBuilder package func quiet() -> some View {
        #if os(tvOS)
        buttonStyle(.bordered)
        #else
        buttonStyle(.borderless)
        #endif
    }
}
#endif
