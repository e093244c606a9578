import Foundation
import IdentityKit

/// Functions with the names of InsForge's own Swift package, for code that was written for InsForge's package.
extension InsForgeAuthClient {
    /// Returns a valid access token as ``accessToken()`` does; `nil` if no user is signed in, the session has expired,
    /// or the account no longer exists.
    /// - Throws: as ``accessToken()``, except the three errors for which the result is `nil`.
    public func getAccessToken() async throws -> String? {
        do {
            return try await accessToken()
        } catch InsForgeAuthError.notSignedIn, InsForgeAuthError.sessionExpired, InsForgeAuthError.userNotFound {
            return nil
        }
    }

    /// Changes members of the user's profile: like ``setProfile(_:of:)-([String:JSONValue],_)``, but with values as
    /// `JSONSerialization` returns them.
    /// - Returns: the whole profile.
    /// - Throws: ``InsForgeAuthError/invalidInput(_:)`` for a value that JSON does not have, otherwise as
    ///   ``setProfile(_:of:)-([String:JSONValue],_)``.
    @discardableResult
    public func updateProfile(_ profile: [String: Any]) async throws -> Profile {
        try await setProfile(try profile.reduce(into: [:]) { $0[$1.key] = try JSONValue(member: $1.value, $1.key) })
    }

    /// Sends another verification mail, as ``resendVerificationEmail(email:redirectTo:)`` does.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    public func sendEmailVerification(email: String, redirectTo: String? = nil) async throws {
        try await resendVerificationEmail(email: email, redirectTo: redirectTo)
    }

    /// Verifies an address with the code from the mail and signs the user in, as ``verifyEmail(email:code:)`` does.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    @discardableResult
    public func verifyEmail(email: String, otp: String) async throws -> AuthResponse {
        try await verifyEmail(email: email, code: otp)
    }

    /// Calls `listener` with the current session, if there is one, and again after every change. The listener receives
    /// `nil` when no user is signed in any more. A new listener replaces the previous one.
    public func setAuthStateChangeListener(_ listener: @escaping @Sendable (Session?) async -> Void) {
        let events = authEvents
        follow(
            Task { [weak self] in
                for await event in events {
                    var session: Session?
                    if event != .signedOut {
                        // If the client no longer exists, stop without a call, because `nil` would mean that the user
                        // has signed out.
                        guard let self else { return }
                        session = self.getSession()
                    }
                    await listener(session)
                }
            })
    }
}

extension JSONValue {
    /// Converts a value as `JSONSerialization` returns it. `name` is the member's name, for the error.
    /// - Throws: ``InsForgeAuthError/invalidInput(_:)`` for a value that JSON does not have.
    fileprivate init(member value: Any, _ name: String) throws {
        if let value = value as? JSONValue {
            self = value
            return
        }
        guard JSONSerialization.isValidJSONObject([value]),
            let content = try? JSONSerialization.data(withJSONObject: [value]),
            let parsed = try? JSONValue(parsing: content).arrayValue?.first
        else { throw InsForgeAuthError.invalidInput("\(name) cannot be written as JSON.") }
        self = parsed
    }
}
