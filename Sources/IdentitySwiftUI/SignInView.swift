#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// A sign-in screen for any configured backend. Follows changes of the configuration while it is shown.
public struct SignInView: View {
    private var start: Start

    /// Makes the screen.
    /// - Parameters:
    ///   - client: a client whose prompter is a `SignInEngine`.
    ///   - texts: the texts; `nil` for the person's language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) { start = Start(client, texts) }

    /// The screen with only these providers, in this order, by their names in the configuration.
    public func offering(_ names: String...) -> SignInView {
        var view = self
        view.start.offered = names
        return view
    }

    public var body: some View { start.rows(showsTitle: true) }
}

/// A sign-in screen with the app's own drawing.
public struct BaseSignInView<Content: View>: View {
    @StateObject private var model: SignInModel
    private let content: (SignInModel) -> Content

    /// Makes the screen.
    /// - Parameters:
    ///   - client: a client whose prompter is a `SignInEngine`.
    ///   - content: draws the rows of the model.
    public init(_ client: IdentityClient, @ViewBuilder content: @escaping (SignInModel) -> Content) {
        _model = StateObject(wrappedValue: SignInModel(client))
        self.content = content
    }

    /// The content, which follows the client while it is shown.
    public var body: some View { content(model).task { await model.run() } }
}

/// The existing accounts, and the ways to add one.
public struct AccountSwitcher: View {
    private let start: Start

    /// Makes the list.
    /// - Parameters:
    ///   - client: the client.
    ///   - texts: the texts; `nil` for the person's language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) { start = Start(client, texts) }

    /// The accounts as buttons, and the current step of a sign-in that was begun with one.
    public var body: some View { start.rows(showsTitle: false) }
}
#endif
