#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
import AuthenticationServices
import Foundation

/// Shows sign-in pages in the system's browser sheet (`ASWebAuthenticationSession`).
///
/// The redirect URI may have the app's own scheme, or be an https address that the app claims, which requires iOS 17.4,
/// macOS 14.4 or visionOS 1.1.
public struct SystemWebAuthenticator: WebAuthenticator {
    /// The cookies that a page can use.
    public enum BrowserSession: Sendable {
        /// Cookies of the browser, so that a user who is signed in there need not sign in again. The system asks the
        /// user before it opens the page.
        case shared
        /// No cookies: none are read, and none kept.
        case ephemeral
    }

    private let session: BrowserSession
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor?

    /// An authenticator for an app with several windows, or for an extension with one.
    /// - Parameters:
    ///   - session: the cookies that the page can use.
    ///   - anchor: the window to show the page over; `nil` when there is none.
    public init(
        session: BrowserSession = .shared, anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
    ) {
        self.session = session
        self.anchor = anchor
    }

    /// An authenticator that shows pages over the app's front window. An extension has none that the system can find,
    /// so its sign-ins end with ``WebAuthenticationError/noWindow``; give it a window with ``init(session:anchor:)``.
    public init(session: BrowserSession = .shared) {
        self.init(session: session) { FrontWindow.current }
    }

    /// Opens `url` and waits for `redirectURI`; see ``WebAuthenticator/authenticate(at:redirectURI:)``.
    /// - Throws: `CancellationError` when the user closes the page or the task is cancelled, otherwise
    ///   ``WebAuthenticationError``.
    public func authenticate(at url: URL, redirectURI: URL) async throws -> URL {
        let callback = try WebCallback(redirectURI: redirectURI)
        return try await WebPageVisit.run { end in
            guard let window = anchor() else { throw WebAuthenticationError.noWindow }
            return try SystemWebPage(
                url: url, callback: callback, isEphemeral: session == .ephemeral, window: window, end: end)
        }
    }
}

@MainActor
private final class SystemWebPage: NSObject, WebPage, ASWebAuthenticationPresentationContextProviding {
    private let session: ASWebAuthenticationSession
    private let window: ASPresentationAnchor

    init(
        url: URL, callback: WebCallback, isEphemeral: Bool, window: ASPresentationAnchor,
        end: @escaping @Sendable (WebPageResult) -> Void
    ) throws {
        self.window = window
        // Sendable and not isolated, because the system may call it on any thread, where an isolated closure would
        // trap.
        session = try Self.session(at: url, callback: callback) { @Sendable address, error in
            end(Self.result(address, error))
        }
        super.init()
        session.presentationContextProvider = self
        session.prefersEphemeralWebBrowserSession = isEphemeral
    }

    func start() -> Bool { session.start() }
    func cancel() { session.cancel() }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { window }

    private static func session(
        at url: URL, callback: WebCallback, completion: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) throws -> ASWebAuthenticationSession {
        if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) {
            let recognized: ASWebAuthenticationSession.Callback =
                switch callback {
                case .scheme(let scheme): .customScheme(scheme)
                case .https(let host, let path): .https(host: host, path: path)
                }
            return ASWebAuthenticationSession(url: url, callback: recognized, completionHandler: completion)
        }
        guard case .scheme(let scheme) = callback else {
            throw WebAuthenticationError.unsupportedRedirect(
                "https redirect URIs require iOS 17.4 or macOS 14.4. Use your own scheme on older systems")
        }
        return ASWebAuthenticationSession(url: url, callbackURLScheme: scheme, completionHandler: completion)
    }

    private nonisolated static func result(_ address: URL?, _ error: (any Error)?) -> WebPageResult {
        if let address { return .success(address) }
        guard let error = error as? ASWebAuthenticationSessionError else {
            return .failure(WebAuthenticationError.failed(error?.localizedDescription ?? "it came back empty"))
        }
        return switch error.code {
        case .canceledLogin: .failure(CancellationError())
        case .presentationContextNotProvided, .presentationContextInvalid: .failure(WebAuthenticationError.noWindow)
        default: .failure(WebAuthenticationError.failed(error.localizedDescription))
        }
    }
}
#endif
