#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// The app when somebody is signed in, and the sign-in screen when nobody is.
///
/// ```swift
/// IdentityView(client) { account in Text(verbatim: account.account) }
///     .task { await client.follow(file) }
/// SessionBanner(client)
/// AccountButton(client)
/// ```
public struct IdentityView<Content: View>: View {
    private let start: Start
    private let content: (AccountID) -> Content

    /// A view of the app.
    /// - Parameters:
    ///   - client: a client whose prompter is a `SignInEngine`.
    ///   - texts: the texts; `nil` for the person's language.
    ///   - content: the app for an account.
    public init(
        _ client: IdentityClient, texts: ScreenTexts? = nil, @ViewBuilder content: @escaping (AccountID) -> Content
    ) {
        start = Start(client, texts)
        self.content = content
    }

    /// The app, the sign-in screen, or that neither is known yet.
    public var body: some View {
        start.following { session in
            switch session.state {
            case .unknown: ProgressView()
            case .signedOut: SignInView(start.client, texts: start.texts)
            case .signedIn(let account): content(account)
            }
        }
    }
}

/// A request to sign in again while the session is suspended, and nothing otherwise. The person stays signed in meanwhile.
public struct SessionBanner: View {
    private let start: Start

    /// A banner.
    /// - Parameters:
    ///   - client: the client.
    ///   - texts: the texts; `nil` for the person's language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) { start = Start(client, texts) }

    /// The steps of a new sign-in.
    public var body: some View {
        start.following { session in
            if session.needsSignIn { AccountSwitcher(start.client, texts: start.texts) }
        }
    }
}

/// The name of the active account, and the button that signs it out.
public struct AccountButton: View {
    private let start: Start

    /// A button for the active account.
    /// - Parameters:
    ///   - client: the client.
    ///   - texts: the texts; `nil` for the person's language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) { start = Start(client, texts) }

    /// The person's name and the button; nothing when nobody is signed in.
    public var body: some View {
        start.following { session in
            if let account = session.state.account {
                ThemedColumn {
                    Text(verbatim: session.profile?.displayName ?? session.profile?.email ?? account.account)
                    RankedButton(
                        start.texts.text(.signOut), rank: .quiet, isEnabled: !session.isBusy,
                        identifier: "identity-sign-out"
                    ) {
                        Task { await session.signOut() }
                    }
                }
            }
        }
    }
}
#endif
