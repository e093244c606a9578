import Foundation

/// A sign-in at a vendor by the means of the device, in place of the vendor's page: Sign in with Apple, or the library of
/// Google that an app brings.
///
/// Give it to ``IdentityEnvironment/nativeSignIns``. A provider whose server takes the vendor's tokens asks it then, and
/// without it shows a page.
public struct NativeSignIn: Sendable {
    /// The vendor's token, and what the device says beside it.
    public struct Answer: Sendable, Equatable {
        public let token: Secret
        /// The person at the vendor, for the question whether they have withdrawn their consent; `nil` where nobody asks.
        public var user: String?
        /// The person's name and e-mail address, which Apple tells at the first sign-in alone.
        public var profile: AccountProfile?

        public init(token: Secret, user: String? = nil, profile: AccountProfile? = nil) {
            (self.token, self.user, self.profile) = (token, user, profile)
        }
    }

    /// The vendor by the type of its preset, such as `apple`.
    public let vendor: String
    /// The name of the vendor for people.
    var vendorName: String { vendor.prefix(1).uppercased() + vendor.dropFirst() }
    /// Whether tokens must carry the nonce of their sign-in.
    public var requiresNonce = true
    /// Whether the person of this identifier has withdrawn their consent at the vendor.
    package var hasWithdrawn: @Sendable (_ user: String) async -> Bool = { _ in false }
    /// An element whenever somebody may have.
    package var withdrawals: @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }

    private let ask: @Sendable (_ nonce: String) async throws -> Answer
    /// Names and addresses by person, because a sign-in that fails after them is not told again.
    private let told = Locked<[String: AccountProfile]>([:])

    /// A sign-in that the app brings.
    /// - Parameters:
    ///   - vendor: the type of the vendor's preset.
    ///   - ask: asks the person for a token with the nonce in its claim of that name, and throws `CancellationError` when
    ///     they give up.
    public init(vendor: String, _ ask: @escaping @Sendable (_ nonce: String) async throws -> Answer) {
        self.vendor = vendor
        self.ask = ask
    }

    /// Asks the person, and remembers what is told once.
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
    /// The sign-in at `vendor` by the means of the device; `nil` without one.
    package func nativeSignIn(at vendor: String?) -> NativeSignIn? { nativeSignIns.first { $0.vendor == vendor } }
}

/// A provider whose server takes the tokens of a vendor.
package protocol NativelySigningIn {
    /// The vendor; `nil` as it is configured.
    var nativeVendor: String? { get }
}
