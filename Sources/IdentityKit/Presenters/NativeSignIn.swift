import Foundation

/// A sign-in with a vendor on the device itself instead of on the vendor's page: Sign in with Apple, or Google's library
/// in an app that contains it.
///
/// Add the sign-in to ``IdentityEnvironment/nativeSignIns``. A provider whose server accepts the vendor's tokens uses the
/// sign-in; other providers ignore it.
public struct NativeSignIn: Sendable {
    /// The vendor's ID token, and information that the device adds about the person.
    public struct Answer: Sendable, Equatable {
        package let token: Secret
        package var user: String?
        package var profile: AccountProfile?

        /// Makes an answer.
        /// - Parameters:
        ///   - token: the vendor's ID token.
        ///   - user: the vendor's identifier of the person, to find out whether they have withdrawn their consent; `nil` if
        ///     that is not supported.
        ///   - profile: the person's name and e-mail address, which Apple returns only at the first sign-in.
        public init(token: Secret, user: String? = nil, profile: AccountProfile? = nil) {
            (self.token, self.user, self.profile) = (token, user, profile)
        }
    }

    /// The type of the vendor's preset, such as `apple`.
    package let vendor: String
    /// The vendor's name for messages, such as `Apple`.
    var vendorName: String { vendor.prefix(1).uppercased() + vendor.dropFirst() }
    package let requiresNonce: Bool
    /// Returns whether the person with this identifier has withdrawn their consent at the vendor.
    package var hasWithdrawn: @Sendable (_ user: String) async -> Bool = { _ in false }
    /// Emits an element whenever somebody may have withdrawn their consent.
    package var withdrawals: @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }

    private let ask: @Sendable (_ nonce: String) async throws -> Answer
    /// Names and e-mail addresses by the vendor's identifier of the person. They are kept for another attempt after a failed
    /// sign-in, because the vendor may return them only once.
    private let told = Locked<[String: AccountProfile]>([:])

    /// Makes a sign-in that the app implements.
    /// - Parameters:
    ///   - vendor: the type of the vendor's preset, such as `apple`.
    ///   - requiresNonce: whether a token without a `nonce` is refused. A token with the `nonce` of another sign-in is
    ///     always refused.
    ///   - ask: asks the person for a token whose claim `nonce` has the given value, and throws `CancellationError`
    ///     when they give up.
    public init(
        vendor: String, requiresNonce: Bool = true, _ ask: @escaping @Sendable (_ nonce: String) async throws -> Answer
    ) {
        self.vendor = vendor
        self.requiresNonce = requiresNonce
        self.ask = ask
    }

    /// Asks the person for a token, and keeps the name and the e-mail address, which the vendor may return only once.
    /// - Throws: `CancellationError` when the person gives up, or what the vendor's library throws.
    package func answer(nonce: String) async throws -> Answer {
        var answer = try await ask(nonce)
        if let user = answer.user {
            answer.profile = told.withLock { told in
                told[user] = answer.profile.completed(with: told[user])
                return told[user]
            }
        }
        return answer
    }
}

extension IdentityEnvironment {
    /// The device's sign-in with `vendor`; `nil` if there is none.
    package func nativeSignIn(at vendor: String?) -> NativeSignIn? { nativeSignIns.first { $0.vendor == vendor } }
}

/// A provider whose server accepts the tokens of a vendor.
package protocol NativelySigningIn {
    /// The vendor whose tokens are accepted; `nil` when none is configured.
    var nativeVendor: String? { get }
}
