#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// Shows the app's content when a person is signed in, and the sign-in screen when nobody is.
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

    /// Creates a view of the client's active account.
    /// - Parameters:
    ///   - client: a client whose prompter is a `SignInEngine`.
    ///   - texts: the texts of the sign-in screen; `nil` for those in the person's preferred language.
    ///   - content: draws the app's content for the signed-in account.
    public init(
        _ client: IdentityClient, texts: ScreenTexts? = nil, @ViewBuilder content: @escaping (AccountID) -> Content
    ) {
        start = Start(client, texts)
        self.content = content
    }

    /// A progress view until the first look-up of the account has ended, then the app's content or the sign-in screen. If that
    /// look-up fails, shows the reason and a button to look up again.
    public var body: some View {
        start.following { session in
            switch session.state {
            case .unknown:
                if let problem = session.problem {
                    ProblemText(problem, identifier: "identity-problem")
                    RankedButton(
                        start.texts.text(.goOn), rank: .primary, isEnabled: !session.isBusy,
                        identifier: "identity-continue"
                    ) {
                        Task { await session.refresh() }
                    }
                } else {
                    ProgressView()
                }
            case .signedOut: SignInView(start.client, texts: start.texts)
            case .signedIn(let account): content(account)
            }
        }
    }
}

/// Asks the person to sign in again while the active account's session is suspended, and is empty otherwise. A suspended
/// session cannot be refreshed, but its account stays signed in.
public struct SessionBanner: View {
    private let start: Start

    /// Creates a banner about the session of the client's active account.
    /// - Parameters:
    ///   - client: a client whose prompter is a `SignInEngine`.
    ///   - texts: the texts of the banner; `nil` for those in the person's preferred language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) { start = Start(client, texts) }

    /// The list of accounts and providers to sign in with, or the current step of a sign-in; empty unless the session is
    /// suspended.
    public var body: some View {
        start.following { session in
            if session.needsSignIn { AccountSwitcher(start.client, texts: start.texts) }
        }
    }
}

/// Shows the name of the signed-in person, and a button that signs the account out.
public struct AccountButton: View {
    private let start: Start

    /// Creates a view of the client's active account.
    /// - Parameters:
    ///   - client: the client whose account the button signs out.
    ///   - texts: the texts with the button's label; `nil` for those in the person's preferred language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) { start = Start(client, texts) }

    /// The person's name, with the button below it. Without a name, the e-mail address, the user name or the account's
    /// identifier takes its place. Empty when nobody is signed in.
    public var body: some View {
        start.following { session in
            if let account = session.state.account {
                ThemedColumn {
                    Text(verbatim: session.profile?.label ?? account.account)
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
