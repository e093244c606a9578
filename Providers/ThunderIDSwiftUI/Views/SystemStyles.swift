#if canImport(SwiftUI)
import SwiftUI

extension View {
    /// The return key presses it, where there is a keyboard.
    @ViewBuilder func pressedByReturn() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        keyboardShortcut(.defaultAction)
        #endif
    }

    /// A text field with a frame, where fields do not have one by themselves.
    @ViewBuilder func framed() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        textFieldStyle(.roundedBorder)
        #endif
    }

    /// A text that can be copied.
    @ViewBuilder func selectable() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        textSelection(.enabled)
        #endif
    }

    /// A button beside the usual one.
    @ViewBuilder func secondaryButton() -> some View {
        #if os(tvOS)
        buttonStyle(.bordered)
        #else
        buttonStyle(.borderless)
        #endif
    }
}
#endif
