#if canImport(SwiftUI)
import SwiftUI

/// The look of sign-in views. Values that are not set are the system's.
public struct SignInTheme: Sendable, Equatable {
    /// The colour of buttons, links and switches; `nil` for the one of the views around.
    public var tint: Color?
    /// The radius of the buttons' corners, in points; `nil` for the system's shape. macOS draws it from version 26 on.
    public var cornerRadius: CGFloat?
    /// The space between the rows of a form, in points.
    public var spacing: CGFloat
    /// The greatest width of a form, in points; `nil` for all the room there is.
    public var width: CGFloat?

    public init(tint: Color? = nil, cornerRadius: CGFloat? = nil, spacing: CGFloat = 16, width: CGFloat? = nil) {
        (self.tint, self.cornerRadius, self.spacing, self.width) = (tint, cornerRadius, spacing, width)
    }
}

extension View {
    /// Gives the sign-in views below a look of the app's own.
    public func signInTheme(_ theme: SignInTheme) -> some View { environment(\.signInTheme, theme) }
}

extension EnvironmentValues {
    private struct ThemeKey: EnvironmentKey { static let defaultValue = SignInTheme() }

    var signInTheme: SignInTheme {
        get { self[ThemeKey.self] }
        set { self[ThemeKey.self] = newValue }
    }
}

/// Rows below each other in the look of the theme.
package struct ThemedColumn<Content: View>: View {
    @Environment(\.signInTheme) private var theme
    private let content: Content

    package init(@ViewBuilder content: () -> Content) { self.content = content() }

    package var body: some View {
        shaped(
            tinted(
                VStack(alignment: .leading, spacing: theme.spacing) { content }
                    .frame(maxWidth: theme.width, alignment: .leading)))
    }

    @ViewBuilder private func tinted(_ column: some View) -> some View {
        if let tint = theme.tint { column.tint(tint) } else { column }
    }

    @ViewBuilder private func shaped(_ column: some View) -> some View {
        if let radius = theme.cornerRadius, #available(macOS 14, tvOS 17, *) {
            column.buttonBorderShape(.roundedRectangle(radius: radius))
        } else {
            column
        }
    }
}
#endif
