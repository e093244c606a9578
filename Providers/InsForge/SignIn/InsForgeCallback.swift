import Foundation
import IdentityKit
import OAuthKit

/// What an InsForge server says when it sends the browser back to the app (InsForge, app-link callbacks).
///
/// Reading one is a pure function of the URL and the redirect that was asked for. It trusts nothing: the caller still has
/// to redeem the code with the verifier of its own flow.
public enum InsForgeCallback: Sendable, Equatable {
    /// The OAuth sign-in succeeded; exchange the code.
    case code(Secret)
    /// The OAuth sign-in failed; the text is the server's.
    case failure(String)

    /// Reads `url`.
    /// - Parameters:
    ///   - url: where the browser was sent.
    ///   - redirectURI: where it should have been sent.
    /// - Throws: ``InsForgeAuthError/invalidCallback(_:)`` when it is another address, carries neither or both of a code
    ///   and an error, repeats a parameter, or brings tokens: a URL anybody can make must never become a session.
    public init(_ url: URL, redirectURI: URL) throws {
        let callback: CallbackURL
        do {
            callback = try CallbackURL(url)
        } catch let error as OAuthError {
            throw InsForgeAuthError.invalidCallback(error.message)
        }
        guard callback.returns(to: redirectURI) else {
            throw InsForgeAuthError.invalidCallback("it is not the address that was asked for.")
        }
        guard callback["access_token"] == nil else {
            throw InsForgeAuthError.invalidCallback("it brings a token in its address, which is refused.")
        }
        switch (callback["insforge_code"], callback["error"]) {
        case (let code?, nil): self = .code(Secret(code))
        case (nil, let text?): self = .failure(text.asServerText(or: "no reason was given"))
        default: throw InsForgeAuthError.invalidCallback("it carries no result, or two.")
        }
    }
}
