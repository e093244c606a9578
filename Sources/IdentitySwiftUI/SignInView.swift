#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// A sign-in screen for any configured backend. Follows changes of the configuration while it is shown.
public struct SignInView: View {
    private var start: Start

    /// Creates a screen that signs in with the client's providers.
    /// - Parameters:
    ///   - client: a client whose prompter is a `SignInEngine`.
    ///   - texts: the texts of the screen; `nil` for those in the person's preferred language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) { start = Start(client, texts) }

    /// Returns the screen with only the configured providers that have these names, in this order. Unknown names are
    /// ignored.
    public func offering(_ names: String...) -> SignInView {
        var view = self
        view.start.offered = names
        return view
    }

    public var body: some View { start.rows(showsTitle: true) }
}

/// A sign-in screen that the app draws itself, from the rows of a ``SignInModel``.
public struct BaseSignInView<Content: View>: View {
    private let client: IdentityClient
    private let content: (SignInModel) -> Content

    /// Creates a screen with its own ``SignInModel``.
    /// - Parameters:
    ///   - client: a client whose prompter is a `SignInEngine`.
    ///   - content: draws the rows of the model.
    public init(_ client: IdentityClient, @ViewBuilder content: @escaping (SignInModel) -> Content) {
        self.client = client
        self.content = content
    }

    /// The app's content. While the content is shown, the model follows the client. Another client begins with a new model.
    public var body: some View { ModelView(client, content: content).id(ObjectIdentifier(client)) }
}

private struct ModelView<Content: View>: View {
    @StateObject private var model: SignInModel
    private let content: (SignInModel) -> Content

    init(_ client: IdentityClient, content: @escaping (SignInModel) -> Content) {
        _model = StateObject(wrappedValue: SignInModel(client))
        self.content = content
    }

    var body: some View { content(model).task { await model.run() } }
}

/// Shows a button for each account that the person can use or sign in to again, and for each provider that can sign a
/// person in.
public struct AccountSwitcher: View {
    private let start: Start

    /// Creates a list of the client's accounts and providers.
    /// - Parameters:
    ///   - client: a client whose prompter is a `SignInEngine`.
    ///   - texts: the texts of the list; `nil` for those in the person's preferred language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) { start = Start(client, texts) }

    /// The buttons, or the current step of a sign-in that was begun with a button.
    public var body: some View { start.rows(showsTitle: false) }
}
#endif
