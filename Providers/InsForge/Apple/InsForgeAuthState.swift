#if canImport(Combine)
import Combine
import Foundation
import IdentityKit

/// The signed-in user, for SwiftUI. Make it a `@StateObject`.
@MainActor
public final class InsForgeAuthState: ObservableObject {
    /// The signed-in user; `nil` when there is none.
    @Published public private(set) var user: User?
    /// Whether the stored session has not been read yet.
    @Published public private(set) var isLoading = true

    private let client: InsForgeClient?
    private var following: Task<Void, Never>?
    private var nonce: AppleNonce?

    /// Follows the client that was made last. Without any, every call throws ``InsForgeAuthError/notConfigured(_:)``.
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
                // An event may be older than what is shown, and nobody is shown after the next one.
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
    /// - Throws: ``InsForgeAuthError``.
    @discardableResult
    public func signIn(email: String, password: String) async throws -> SignInResponse {
        try await auth().signIn(email: email, password: password)
    }

    /// Signs out.
    /// - Throws: ``InsForgeAuthError/notConfigured(_:)``.
    public func signOut() async throws {
        try await auth().signOut()
    }

    /// A nonce for one Sign in with Apple, which ``takeAppleNonce()`` gives back.
    func makeAppleNonce() throws -> AppleNonce {
        let nonce = try AppleNonce()
        self.nonce = nonce
        return nonce
    }

    /// The nonce that was prepared, once.
    func takeAppleNonce() -> AppleNonce? {
        defer { nonce = nil }
        return nonce
    }

    func signIn(with idToken: IDTokenSignIn) async throws {
        try await auth().signIn(with: idToken)
    }
}
#endif
