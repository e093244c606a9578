import Foundation
import IdentityKit
import IdentityOAuth

/// The result of a flow, from the parameters that an InsForge server adds to a redirect URI.
///
/// The parameters are not trusted: the caller redeems an authorization code with the PKCE code verifier of its own
/// flow.
public enum InsForgeCallback: Sendable, Equatable {
    /// The OAuth sign-in succeeded. Exchange the authorization code for a session.
    case code(Secret)
    /// The OAuth sign-in failed; the text is the server's.
    case failure(String)
    /// The link in a verification mail was opened, and the address is now verified. No session was opened.
    case emailVerified
    /// The link in a verification mail was opened but failed; the text is the server's.
    case emailNotVerified(String)
    /// The link in a reset mail was opened: ask for a new password and send it with this token. The server checks the
    /// token's expiry only when it receives the new password.
    case passwordReset(Secret)
    /// The link in a reset mail was opened but failed; the text is the server's.
    case passwordResetFailed(String)
    /// An access token, as servers sent it until March 2026. Servers before January 2026 sent it in every callback.
    /// Later servers sent it only from their sign-in page, if an address was verified in another window. Before
    /// using the token, request its user from the server.
    case legacyToken(Secret)

    /// Reads the result in the parameters of `url`.
    /// - Parameters:
    ///   - url: the address to which the browser was redirected.
    ///   - redirectURI: the redirect URI of the request. If it has a query, `url` must contain that query.
    ///   - allowsTokens: whether to accept an access token. Any website can open the app with a token in the address, so
    ///     pass `true` only for servers that send no authorization code, and only for flows that the app has started.
    /// - Throws: ``InsForgeAuthError/invalidCallback(_:)`` if `url` is malformed or does not belong to `redirectURI`,
    ///   repeats a parameter, contains an access token that is not allowed, or does not contain exactly one known result.
    public init(_ url: URL, redirectURI: URL, allowsTokens: Bool = false) throws {
        let callback: CallbackURL
        do {
            callback = try CallbackURL(url)
        } catch let error as OAuthError {
            throw InsForgeAuthError.invalidCallback(error.message)
        }
        guard callback.returns(to: (try? RedirectAddress(redirectURI))?.url ?? redirectURI) else {
            throw InsForgeAuthError.invalidCallback("it is not the address that was asked for.")
        }
        guard callback["access_token"] == nil || allowsTokens else {
            throw InsForgeAuthError.invalidCallback("it brings a token in its address, which is refused.")
        }
        let results = try [
            callback["insforge_code"].map { .code(Secret($0)) },
            callback["error"].map { .failure(Self.text($0)) },
            callback["access_token"].map { .legacyToken(Secret($0)) },
            Self.mailedLink(in: callback),
        ].compactMap { $0 as Self? }
        guard results.count == 1 else {
            throw InsForgeAuthError.invalidCallback("it carries no result, or two.")
        }
        self = results[0]
    }

    /// Returns the result of a mailed link, from `insforge_type` and `insforge_status`; `nil` if both are missing.
    /// - Throws: ``InsForgeAuthError/invalidCallback(_:)`` for an unknown type or status, and for a reset link without a token
    ///   of 64 hexadecimal digits.
    private static func mailedLink(in callback: CallbackURL) throws -> Self? {
        let (type, status) = (callback["insforge_type"], callback["insforge_status"])
        guard type != nil || status != nil else { return nil }
        switch (type, status) {
        case ("verify_email", "success"):
            return .emailVerified
        case ("verify_email", "error"):
            return .emailNotVerified(text(callback["insforge_error"]))
        case ("reset_password", "ready"):
            guard let token = callback["token"], token.utf8.count == 64, token.allSatisfy(\.isHexDigit) else {
                throw InsForgeAuthError.invalidCallback("it lacks the token that sets a new password.")
            }
            return .passwordReset(Secret(token))
        case ("reset_password", "error"):
            return .passwordResetFailed(text(callback["insforge_error"]))
        default:
            throw InsForgeAuthError.invalidCallback("it carries the result of something unknown.")
        }
    }

    private static func text(_ text: String?) -> String {
        (text ?? "").asPersonalText(or: "no reason was given")
    }
}
