#if canImport(SwiftUI)
import SwiftUI

/// Shows its content while a user is signed in.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct SignedIn<Content: View, Fallback: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    private let content: () -> Content
    private let fallback: () -> Fallback

    /// Guards `content`.
    /// - Parameters:
    ///   - content: what a signed-in user sees.
    ///   - fallback: what is shown while nobody is signed in, and when that cannot be looked up: the form in it says why.
    public init(
        @ViewBuilder content: @escaping () -> Content, @ViewBuilder fallback: @escaping () -> Fallback
    ) {
        self.content = content
        self.fallback = fallback
    }

    /// The content, or the fallback; nothing until it is known which.
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
/// It needs `thunderIDProvider(config:)` above it.
public struct SignedOut<Content: View, Fallback: View>: View {
    private let guarded: SignedIn<Fallback, Content>

    /// Guards `content`.
    /// - Parameters:
    ///   - content: what is shown while nobody is signed in, and when that cannot be looked up: a form in it says why.
    ///   - fallback: what a signed-in user sees.
    public init(
        @ViewBuilder content: @escaping () -> Content, @ViewBuilder fallback: @escaping () -> Fallback
    ) {
        guarded = SignedIn(content: fallback, fallback: content)
    }

    /// The content, or the fallback; nothing until it is known which.
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
