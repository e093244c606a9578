import Foundation
import IdentityKit
import InsForge
import IdentityOAuth
import IdentityOAuthProviders
import ThunderID

// snippet: taking-over-from-appauth
/// - Parameter archive: the file with the `OIDAuthState` that `NSKeyedArchiver` has written.
func importSession(_ archive: URL, by provider: OAuthSessionProvider) async throws {
    guard let content = try? Data(contentsOf: archive) else { return }
    let kept = try provider.keptSession(ofAppAuth: content) {
        try FileManager.default.removeItem(at: archive)
    }
    try await provider.sessions.importSession(kept)
}
// end snippet

// snippet: taking-over-from-insforge
func importSession(
    userID: String, accessToken: String, refreshToken: String, by provider: InsForgeProvider, baseURL: ServerURL,
    thenRemove remove: @escaping @Sendable () async throws -> Void
) async throws {
    let now = Date()
    let credential = Credential(
        accessToken: Secret(accessToken), refreshToken: Secret(refreshToken), issuedAt: now, expiresAt: now,
        signedInAt: now, backend: baseURL.description)
    let kept = ExternalSession(source: "our own storage", account: userID, credential: credential, remove: remove)
    try await provider.sessions.importSession(kept)
}
// end snippet

func useInsForge(address: URL, email: String, password: String) async throws {
    // snippet: insforge-after-migrating
    let insforge = InsForgeClient(baseURL: address, anonKey: "anon_0123")
    let result = try await insforge.auth.signIn(email: email, password: password)
    if let user = result.user { print("Welcome back, \(user.profile?.name ?? user.email)") }
    // end snippet
}

func useThunderID() async throws -> String {
    // snippet: thunderid-after-migrating
    let client = ThunderIDClient()
    _ = try await client.initialize(
        config: ThunderIDConfig(
            baseUrl: "https://localhost:8090", clientId: "notes", scopes: ["openid", "profile", "email"],
            afterSignInUrl: "com.example.notes://callback", afterSignOutUrl: "com.example.notes://signed-out"))
    let token = try await client.getAccessToken()
    // end snippet
    return token
}

func trustThunderIDHere() throws -> ThunderIDConfig {
    // snippet: thunderid-with-its-own-certificate
    let config = ThunderIDConfig(
        baseUrl: "https://localhost:8090", clientId: "notes",
        trustedCertificates: try TrustedCertificates(named: "localhost.pem"))
    // end snippet
    return config
}

func shareThunderID() throws -> ThunderIDClient {
    // snippet: thunderid-in-a-shared-store
    let environment = IdentityEnvironment(store: try StoreConfiguration.file(folder: "~/.local/state/notes").open())
    let shared = ThunderIDClient(environment: environment)
    // end snippet
    return shared
}
