#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// A sign-in screen of whatever backend is configured. It follows a change of the configuration while it is shown.
public struct SignInView: View {
    private var start: Start

    /// A sign-in screen.
    /// - Parameters:
    ///   - client: a client whose prompter is a `SignInEngine`.
    ///   - texts: the texts; `nil` for the person's language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) { start = Start(client, texts) }

    /// The screen with these providers alone, in this order, by their names in the configuration.
    public func offering(_ names: String...) -> SignInView {
        var view = self
        view.start.offered = names
        return view
    }

    public var body: some View { start.rows(showsTitle: true) }
}

/// A sign-in screen that the app draws.
public struct BaseSignInView<Content: View>: View {
    @StateObject private var model: SignInModel
    private let content: (SignInModel) -> Content

    /// A sign-in screen.
    /// - Parameters:
    ///   - client: a client whose prompter is a `SignInEngine`.
    ///   - content: draws the rows of the model.
    public init(_ client: IdentityClient, @ViewBuilder content: @escaping (SignInModel) -> Content) {
        _model = StateObject(wrappedValue: SignInModel(client))
        self.content = content
    }

    /// The content, for as long as it is shown.
    public var body: some View { content(model).task { await model.run() } }
}

/// The accounts that are there, and the ways to add one.
public struct AccountSwitcher: View {
    private let start: Start

    /// A list of accounts.
    /// - Parameters:
    ///   - client: the client.
    ///   - texts: the texts; `nil` for the person's language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) { start = Start(client, texts) }

    /// The accounts as buttons, and the step of a sign-in that one of them has begun.
    public var body: some View { start.rows(showsTitle: false) }
}
#endif
