#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// Shows the app when somebody is signed in, and the sign-in screen when nobody is.
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

    /// Makes the view.
    /// - Parameters:
    ///   - client: a client whose prompter is a `SignInEngine`.
    ///   - texts: the texts; `nil` for the person's language.
    ///   - content: the content of the app for an account.
    public init(
        _ client: IdentityClient, texts: ScreenTexts? = nil, @ViewBuilder content: @escaping (AccountID) -> Content
    ) {
        start = Start(client, texts)
        self.content = content
    }

    /// The app, the sign-in screen, or a progress view while it is unknown who is signed in.
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

/// Asks to sign in again while the session is suspended, and is empty otherwise. The person stays signed in meanwhile.
public struct SessionBanner: View {
    private let start: Start

    /// Makes the banner.
    /// - Parameters:
    ///   - client: the client.
    ///   - texts: the texts; `nil` for the person's language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) { start = Start(client, texts) }

    /// The request, or the steps of the new sign-in.
    public var body: some View {
        start.following { session in
            if session.needsSignIn { AccountSwitcher(start.client, texts: start.texts) }
        }
    }
}

/// Shows the name of the active account, and a button to sign out.
public struct AccountButton: View {
    private let start: Start

    /// Makes the button.
    /// - Parameters:
    ///   - client: the client.
    ///   - texts: the texts; `nil` for the person's language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) { start = Start(client, texts) }

    /// The person's name and the button; empty when nobody is signed in.
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
