#if canImport(Combine)
import Combine
import Foundation
import IdentityKit

/// An observable object with the signed-in user, for SwiftUI. Keep it in a `@StateObject`.
@MainActor
public final class InsForgeAuthState: ObservableObject {
    /// The signed-in user; `nil` when nobody is signed in, and until the stored session has been read.
    @Published public private(set) var user: User?
    /// `true` until this object first asks the client for the stored session; always `false` without a client. If the
    /// client cannot read the store at once, ``user`` is set later, when this property is already `false`.
    @Published public private(set) var isLoading = true

    private let client: InsForgeClient?
    private var following: Task<Void, Never>?
    private var nonce: AppleNonce?

    /// Creates a state that observes the most recently created client. Without a client, sign-ins and sign-outs throw
    /// ``InsForgeAuthError/notConfigured(_:)``.
    public convenience init() {
        self.init(client: LatestClient.shared.value)
    }

    public convenience init(client: InsForgeClient) {
        self.init(client: Optional(client))
    }

    private init(client: InsForgeClient?) {
        self.client = client
        guard let client else {
            isLoading = false
            return
        }
        let events = client.auth.authEvents
        following = Task { [weak self] in
            self?.show(client.auth.getSession()?.user)
            for await event in events {
                // The event may be outdated, so show its user only if the same user is still signed in.
                let current = client.auth.getSession()?.user
                if case .userUpdated(let user) = event, user.id.hasBytes(of: current?.id) {
                    self?.show(user)
                } else {
                    self?.show(current)
                }
            }
        }
    }

    deinit { following?.cancel() }

    private func show(_ user: User?) {
        self.user = user
        isLoading = false
    }

    private func auth() throws -> InsForgeAuthClient {
        guard let client else {
            throw InsForgeAuthError.notConfigured("Make an InsForgeClient before an InsForgeAuthState.")
        }
        return client.auth
    }

    /// Signs in with e-mail address and password.
    /// - Throws: ``InsForgeAuthError``, such as ``InsForgeAuthError/invalidCredentials``; or `CancellationError` when
    ///   the task is cancelled.
    @discardableResult
    public func signIn(email: String, password: String) async throws -> SignInResponse {
        try await auth().signIn(email: email, password: password)
    }

    /// Signs the user out, as ``InsForgeAuthClient/signOut()`` does.
    /// - Throws: ``InsForgeAuthError``, such as ``InsForgeAuthError/notConfigured(_:)`` if there is no client; or
    ///   `CancellationError` when the task is cancelled.
    public func signOut() async throws {
        try await auth().signOut()
    }

    /// Creates a nonce for one use of Sign in with Apple, and keeps it for ``takeAppleNonce()``.
    func makeAppleNonce() throws -> AppleNonce {
        let nonce = try AppleNonce()
        self.nonce = nonce
        return nonce
    }

    /// Returns the nonce that ``makeAppleNonce()`` kept, and forgets it; `nil` if there is none.
    func takeAppleNonce() -> AppleNonce? {
        defer { nonce = nil }
        return nonce
    }

    func signIn(with idToken: IDTokenSignIn) async throws {
        try await auth().signIn(with: idToken)
    }
}
#endif
