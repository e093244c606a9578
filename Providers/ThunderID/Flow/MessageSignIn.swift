import Foundation
import IdentityKit
import IdentityOAuth

/// Signs in without a page or a form: the server sends a message to the person, who confirms it on another device
/// (OpenID Connect CIBA, poll mode).
struct MessageSignIn: Sendable {
    let tokens: TokenService
    /// Shows the person the text of the message to confirm.
    let show: @Sendable (_ recipient: String?, _ bindingMessage: String, _ expiresAt: Date) async throws -> Void

    /// Letters for the text: none that are easily confused, and no vowels, so that they form no words.
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")

    /// Sends the message, waits until the person has confirmed it, and returns the session.
    /// - Parameters:
    ///   - person: the recipient of the message.
    ///   - scopes: the scopes of the session.
    ///   - subject: the subject that must confirm; `nil` for any.
    /// - Throws: ``IAMError``, ``OAuthError``, ``TransportError``, `RandomnessError`, `CancellationError`, or what
    ///   `show` throws.
    func credential(
        of person: BackchannelHint, scopes: [String], subject: String? = nil
    ) async throws -> Credential {
        do {
            let party = try await tokens.connection.party(of: nil as Credential?)
            let message = try Self.bindingMessage(tokens.environment.random)
            let authorization = try await party.authorize(person, scopes: scopes, bindingMessage: message)
            let recipient: String? = if case .login(let name) = person { name } else { nil }
            try await show(recipient, message, authorization.expiresAt)
            return tokens.credential(try await party.tokens(for: authorization, subject: subject))
        } catch OAuthError.refused(let refusal) {
            throw Self.error(for: refusal) ?? OAuthError.refused(refusal)
        }
    }

    private static func bindingMessage(_ random: RandomSource) throws -> String {
        let text = String(try random.bytes(6).map { letters[Int($0) % letters.count] })
        return "\(text.prefix(3))-\(text.suffix(3))"
    }

    private static func error(for refusal: ErrorResponse) -> IAMError? {
        switch refusal.error {
        case .accessDenied: IAMError(.authenticationFailed, "The sign-in was refused in the message.")
        case .expiredToken:
            IAMError(.confirmationCodeExpired, "The message was not confirmed in time. Sign in again.")
        case .unknownUser: IAMError(.authenticationFailed, IAMError.unknownDetails)
        case .unauthorizedClient:
            IAMError(
                .invalidConfiguration,
                "The application may not sign people in by a message. Give it the grant \(GrantType.backchannel.rawValue)."
            )
        default: nil
        }
    }
}
