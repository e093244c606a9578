#if canImport(SwiftUI)
import SwiftUI

/// A button with the signed-in user's picture. It opens a menu with the user's name, the profile, and the sign-out.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct UserDropdown: View {
    @EnvironmentObject private var i18n: ThunderIDI18n
    private let onProfileTap: (() -> Void)?
    private let onSignOutComplete: (() -> Void)?

    /// Creates a menu.
    /// - Parameters:
    ///   - onProfileTap: shows the profile; `nil` to omit the entry.
    ///   - onSignOutComplete: called as soon as the session has ended in the app; not called if the session cannot be
    ///     ended.
    public init(onProfileTap: (() -> Void)? = nil, onSignOutComplete: (() -> Void)? = nil) {
        self.onProfileTap = onProfileTap
        self.onSignOutComplete = onSignOutComplete
    }

    /// The picture as a menu; on tvOS and watchOS, the entries open below the picture.
    public var body: some View {
        BaseUserDropdown(onSignOutComplete: onSignOutComplete) { _, isOpen, toggle, signOut in
            #if os(tvOS) || os(watchOS)
            VStack {
                Button {
                    toggle()
                } label: {
                    UserAvatar(size: 44)
                }
                .accessibilityHint(Text(verbatim: i18n.texts.text(.userMenuHint)))
                .accessibilityIdentifier(ElementIdentifier.userMenu)
                if isOpen { entries(closing: toggle, signOut) }
            }
            #else
            Menu {
                entries(closing: {}, signOut)
            } label: {
                UserAvatar(size: 44)
            }
            .accessibilityHint(Text(verbatim: i18n.texts.text(.userMenuHint)))
            .accessibilityIdentifier(ElementIdentifier.userMenu)
            #endif
        }
    }

    @ViewBuilder private func entries(
        closing: @escaping () -> Void, _ signOut: @escaping () -> Void
    ) -> some View {
        // Show the account whose session the sign-out would end.
        UserObject()
        if let onProfileTap {
            Button {
                closing()
                onProfileTap()
            } label: {
                Text(verbatim: i18n.texts.text(.userProfileTitle))
            }
            .accessibilityIdentifier(ElementIdentifier.userProfile)
        }
        Button(role: .destructive) {
            closing()
            signOut()
        } label: {
            Text(verbatim: i18n.texts.text(.signOutButton))
        }
        .accessibilityIdentifier(ElementIdentifier.signOut)
    }
}

/// A menu for the signed-in user, drawn by the app.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct BaseUserDropdown<Content: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    @State private var isOpen = false
    private let onSignOutComplete: (() -> Void)?
    private let content: (ThunderIDClient.User?, Bool, @escaping () -> Void, @escaping () -> Void) -> Content

    /// Creates a menu.
    /// - Parameters:
    ///   - onSignOutComplete: called as soon as the session has ended in the app; not called if the session cannot be
    ///     ended.
    ///   - content: draws the menu from four arguments: the value of ``ThunderIDState/user``; whether the menu is
    ///     open; a function that opens or closes the menu; and a function that signs out.
    public init(
        onSignOutComplete: (() -> Void)? = nil,
        @ViewBuilder content:
            @escaping (
                ThunderIDClient.User?, Bool, @escaping () -> Void, @escaping () -> Void
            ) -> Content
    ) {
        self.onSignOutComplete = onSignOutComplete
        self.content = content
    }

    public var body: some View {
        content(state.user, isOpen, toggle, signOut)
    }

    private func toggle() { isOpen = !isOpen }

    private func signOut() {
        Task { await state.signOut(then: onSignOutComplete) }
    }
}

struct UserDropdownPreviews: PreviewProvider {
    static var previews: some View {
        Preview.signedIn { UserDropdown {} }
    }
}
#endif
