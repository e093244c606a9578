#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
import AuthenticationServices
import Foundation

/// Shows sign-in pages in the system's browser sheet (`ASWebAuthenticationSession`).
///
/// The redirect URI may have the app's own scheme, or be an https address that the app claims. An https address
/// requires iOS 17.4, macOS 14.4 or visionOS 1.1.
public struct SystemWebAuthenticator: WebAuthenticator {
    private let isEphemeral: Bool
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor?

    /// Makes an authenticator.
    /// - Parameters:
    ///   - isEphemeral: whether each page begins without the cookies of the browser, and the system keeps none of the cookies
    ///     that the page sets. By default a page uses the cookies of the browser, so that a user who is signed in there need
    ///     not sign in again, and the system asks the user before it opens the page.
    ///   - anchor: returns the window to show a page over, for an app with several windows or an extension with a window. If
    ///     it returns `nil`, the sign-in ends with ``WebAuthenticationError/noWindow``. By default the app's front window;
    ///     in an extension there is none, because the front window belongs to the host app.
    public init(isEphemeral: Bool = false, anchor: (@MainActor @Sendable () -> ASPresentationAnchor?)? = nil) {
        self.isEphemeral = isEphemeral
        self.anchor = anchor ?? { @MainActor in FrontWindow.current }
    }

    /// Opens the page and waits for the redirect to the redirect URI.
    /// - Throws: `CancellationError` when the user closes the page or the task is cancelled, otherwise
    ///   ``WebAuthenticationError``.
    public func authenticate(_ request: WebAuthenticationRequest) async throws -> URL {
        let callback = try WebCallback(redirectURI: request.redirectURI)
        return try await WebPageVisit.run { end in
            guard let window = anchor() else { throw WebAuthenticationError.noWindow }
            return try SystemWebPage(
                url: request.url, callback: callback, isEphemeral: isEphemeral, window: window, end: end)
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
        // Make the closure sendable, because the system may call it on any thread. A closure isolated to the main actor
        // would trap there.
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
