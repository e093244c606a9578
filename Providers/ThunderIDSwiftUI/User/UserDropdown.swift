#if canImport(SwiftUI)
import SwiftUI

/// The user's picture, which opens a menu: who it is, the profile, and signing out.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct UserDropdown: View {
    @EnvironmentObject private var i18n: ThunderIDI18n
    private let onProfileTap: (() -> Void)?
    private let onSignOutComplete: (() -> Void)?

    /// A menu.
    /// - Parameters:
    ///   - onProfileTap: shows the profile; without it the menu has no such entry.
    ///   - onSignOutComplete: called when nobody is signed in any more.
    public init(onProfileTap: (() -> Void)? = nil, onSignOutComplete: (() -> Void)? = nil) {
        self.onProfileTap = onProfileTap
        self.onSignOutComplete = onSignOutComplete
    }

    /// The picture and its menu.
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
        // Names the account before its session is ended.
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

/// A user's menu that the app draws.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct BaseUserDropdown<Content: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    @State private var isOpen = false
    private let onSignOutComplete: (() -> Void)?
    private let content: (ThunderIDClient.User?, Bool, @escaping () -> Void, @escaping () -> Void) -> Content

    /// A menu.
    /// - Parameters:
    ///   - onSignOutComplete: called when nobody is signed in any more.
    ///   - content: draws it: the user, whether the menu is open, what opens or closes it, and what signs out.
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
