#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// The app when somebody is signed in, and the sign-in screen when nobody is.
///
/// ```swift
/// IdentityView(client) { account in HomeView(account: account) }
///     .task { await client.follow(file) }
/// ```
public struct IdentityView<Content: View>: View {
    @StateObject private var session: IdentityState
    private let texts: ScreenTexts
    private let content: (AccountID) -> Content

    /// A view of the app.
    /// - Parameters:
    ///   - client: a client whose prompter is a `SignInEngine`.
    ///   - texts: the texts; `nil` for the person's language.
    ///   - content: the app for an account.
    public init(
        _ client: IdentityClient, texts: ScreenTexts? = nil, @ViewBuilder content: @escaping (AccountID) -> Content
    ) {
        _session = StateObject(wrappedValue: IdentityState(client))
        self.texts = texts ?? .best(for: Locale.preferredLanguages)
        self.content = content
    }

    /// The app, the sign-in screen, or that neither is known yet.
    public var body: some View {
        switch session.state {
        case .unknown: ProgressView().task { await session.refresh() }
        case .signedOut: SignInView(session.client, texts: texts)
        case .signedIn(let account): content(account)
        }
    }
}

/// A request to sign in again while the session is suspended, and nothing otherwise. The person stays signed in meanwhile.
public struct SessionBanner: View {
    @StateObject private var session: IdentityState
    private let texts: ScreenTexts

    /// A banner.
    /// - Parameters:
    ///   - client: the client.
    ///   - texts: the texts; `nil` for the person's language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) {
        _session = StateObject(wrappedValue: IdentityState(client))
        self.texts = texts ?? .best(for: Locale.preferredLanguages)
    }

    /// The steps of a new sign-in.
    public var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            if session.needsSignIn { AccountSwitcher(session.client, texts: texts) }
        }
        .task { await session.refresh() }
    }
}

/// The name of the active account, and the button that signs it out.
public struct AccountButton: View {
    @StateObject private var session: IdentityState
    private let texts: ScreenTexts

    /// A button for the active account.
    /// - Parameters:
    ///   - client: the client.
    ///   - texts: the texts; `nil` for the person's language.
    public init(_ client: IdentityClient, texts: ScreenTexts? = nil) {
        _session = StateObject(wrappedValue: IdentityState(client))
        self.texts = texts ?? .best(for: Locale.preferredLanguages)
    }

    /// The person's name and the button; nothing when nobody is signed in.
    public var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            if let account = session.state.account {
                Text(verbatim: session.profile?.displayName ?? session.profile?.email ?? account.account)
                Button {
                    Task { await session.signOut() }
                } label: {
                    Text(verbatim: texts.text(.signOut)).frame(minHeight: 44)
                }
                .disabled(session.isBusy)
            }
        }
        .task { await session.refresh() }
    }
}
#endif
