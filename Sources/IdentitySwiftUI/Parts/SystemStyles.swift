#if canImport(SwiftUI)
import SwiftUI

extension View {
    /// Makes the return key press the button. Has no effect on tvOS and watchOS.
    @ViewBuilder package func pressedByReturn() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        keyboardShortcut(.defaultAction)
        #endif
    }

    /// Adds a rounded border to a text field. Has no effect on tvOS and watchOS, which lack this style.
    @ViewBuilder package func framed() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        textFieldStyle(.roundedBorder)
        #endif
    }

    /// Lets the person select a text. Has no effect on tvOS and watchOS, which do not support selection.
    @ViewBuilder package func selectable() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        textSelection(.enabled)
        #endif
    }

    /// Draws a button without a border, or with one on tvOS.
    @ViewBuilder package func quiet() -> some View {
        #if os(tvOS)
        buttonStyle(.bordered)
        #else
        buttonStyle(.borderless)
        #endif
    }
}
#endif
