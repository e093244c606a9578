#if canImport(SwiftUI) && !os(tvOS) && !os(watchOS)
import SwiftUI
import ThunderID

/// Shows its content while a user is signed in.
public struct SignedIn<Content: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    private let content: () -> Content

    /// Guards `content`.
    public init(@ViewBuilder content: @escaping () -> Content) {
        self.content = content
    }

    /// The content, or nothing.
    public var body: some View {
        if state.isReady, state.isSignedIn { content() }
    }
}

/// Shows its content while no user is signed in.
public struct SignedOut<Content: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    private let content: () -> Content

    /// Guards `content`.
    public init(@ViewBuilder content: @escaping () -> Content) {
        self.content = content
    }

    /// The content, or nothing.
    public var body: some View {
        if state.isReady, !state.isSignedIn { content() }
    }
}

/// Signs in on the server's page, in the system's browser sheet.
public struct SignInButton<Title: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    private let title: () -> Title

    /// A button.
    public init(@ViewBuilder title: @escaping () -> Title) {
        self.title = title
    }

    /// The button.
    public var body: some View {
        Button {
            Task { await state.signIn() }
        } label: {
            title()
        }
        .disabled(!state.isReady || state.isLoading)
    }
}

/// Signs out, here and at the server.
public struct SignOutButton<Title: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    private let title: () -> Title

    /// A button.
    public init(@ViewBuilder title: @escaping () -> Title) {
        self.title = title
    }

    /// The button.
    public var body: some View {
        Button(role: .destructive) {
            Task { await state.signOut() }
        } label: {
            title()
        }
        .disabled(!state.isReady || state.isLoading)
    }
}

extension SignInButton where Title == ThunderIDText {
    /// A button that says “Sign in” in the chosen language.
    public init() { self.init { ThunderIDText(.signInButton) } }
}

extension SignOutButton where Title == ThunderIDText {
    /// A button that says “Sign out” in the chosen language.
    public init() { self.init { ThunderIDText(.signOutButton) } }
}
#endif
