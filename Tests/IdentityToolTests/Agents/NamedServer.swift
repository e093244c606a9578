import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server that the fixture's configuration names as the destination of a provider's tokens.
extension ToolFixture {
    /// Configures `server` as a protected resource of the provider `git`.
    /// - Parameter path: the part of it that is named.
    func name(_ server: URL, path: String = "") throws {
        try configure(
            ProviderConfiguration(
                name: "git", type: "protected-resource",
                settings: ["resource": .string(server.absoluteString + path), "allowsLoopbackHTTP": true]))
    }

    /// Names `server`, and stores a session there without a sign-in. Its token is `token-of-ada`.
    func nameWithSession(_ server: URL, path: String = "", _ change: (inout Credential) -> Void = { _ in }) async throws
    {
        try name(server, path: path)
        let place = try #require(URL(string: server.absoluteString + path))
        try await keep(AccountID(account: "ada", realm: "git"), at: place, change)
    }

    /// Signs in to a protected resource, as a person in a browser.
    func signIn(toResource resource: String) async throws {
        let call = try call("login", "--resource", resource)
        let user = openIDConnect.user
        let callback = try await ScriptedLogin(username: user.username, password: user.password)
            .signIn(at: call.page())
        _ = try await DefaultTransport.make().data(for: URLRequest(url: callback))
        let result = await call.finish()
        #expect(result.status == 0, "\(result.errors)")
    }
}
