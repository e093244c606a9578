#if canImport(SwiftUI)
import SwiftUI

/// The colors, corners and layout of sign-in views.
public struct SignInTheme: Sendable, Equatable {
    /// Color of buttons, links and switches; `nil` for the tint of the surrounding views.
    public var tint: Color?
    /// Corner radius of buttons with a border, in points; `nil` for the system's shape. On macOS, has an effect from version 26
    /// on; on tvOS, from version 17 on.
    public var cornerRadius: CGFloat?
    /// Space between the rows of a form in points; 16 by default.
    public var spacing: CGFloat
    /// Maximum width of a form in points; `nil` for no limit.
    public var width: CGFloat?

    public init(tint: Color? = nil, cornerRadius: CGFloat? = nil, spacing: CGFloat = 16, width: CGFloat? = nil) {
        (self.tint, self.cornerRadius, self.spacing, self.width) = (tint, cornerRadius, spacing, width)
    }
}

extension View {
    /// Sets the appearance of the sign-in views inside this view, in place of the system's.
    public func signInTheme(_ theme: SignInTheme) -> some View { environment(\.signInTheme, theme) }
}

extension EnvironmentValues {
    private struct ThemeKey: EnvironmentKey { static let defaultValue = SignInTheme() }

    var signInTheme: SignInTheme {
        get { self[ThemeKey.self] }
        set { self[ThemeKey.self] = newValue }
    }
}

/// A column of rows with the tint, spacing, width and corner radius of the theme in the environment.
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
