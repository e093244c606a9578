#if canImport(SwiftUI)
import SwiftUI

/// Shows its content while a user is signed in.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct SignedIn<Content: View, Fallback: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    private let content: () -> Content
    private let fallback: () -> Fallback

    /// Creates a guard for `content`.
    /// - Parameters:
    ///   - content: the view for a signed-in user.
    ///   - fallback: the view if nobody is signed in, or if the first lookup fails, so that a form such as ``SignIn``
    ///     can show the error.
    public init(
        @ViewBuilder content: @escaping () -> Content, @ViewBuilder fallback: @escaping () -> Fallback
    ) {
        self.content = content
        self.fallback = fallback
    }

    /// The content or the fallback; nothing until the first lookup of the user has finished.
    public var body: some View {
        switch state.presence {
        case .signedIn: content()
        case .signedOut, .unavailable: fallback()
        case .unknown: EmptyView()
        }
    }
}

extension SignedIn where Fallback == EmptyView {
    public init(@ViewBuilder content: @escaping () -> Content) {
        self.init(content: content) { EmptyView() }
    }
}

/// Shows its content while no user is signed in.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct SignedOut<Content: View, Fallback: View>: View {
    private let guarded: SignedIn<Fallback, Content>

    /// Creates a guard for `content`.
    /// - Parameters:
    ///   - content: the view if nobody is signed in, or if the first lookup fails, so that a form such as ``SignIn``
    ///     can show the error.
    ///   - fallback: the view for a signed-in user.
    public init(
        @ViewBuilder content: @escaping () -> Content, @ViewBuilder fallback: @escaping () -> Fallback
    ) {
        guarded = SignedIn(content: fallback, fallback: content)
    }

    /// The content or the fallback; nothing until the first lookup of the user has finished.
    public var body: some View { guarded }
}

extension SignedOut where Fallback == EmptyView {
    public init(@ViewBuilder content: @escaping () -> Content) {
        self.init(content: content) { EmptyView() }
    }
}

struct GuardsPreviews: PreviewProvider {
    static var previews: some View {
        Preview.both {
            SignedIn {
                Text(verbatim: Preview.text)
            } fallback: {
                Text(verbatim: Preview.text)
            }
            SignedOut { Text(verbatim: Preview.text) }
        }
    }
}
#endif
