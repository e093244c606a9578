import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders

/// Debian's `oidc-agent`, a process that keeps a session, and its client `oidc-token`, which prints the access token.
struct OIDCAgent {
    /// The confidential client of the agent's session. ``SignedInTool`` adds the client to its server.
    static let client = LocalOpenIDConnectServer.Client(id: "oidc-agent", authentication: .basic("a-secret"))

    let token: Program

    private let process: Int32

    /// Starts an agent, and adds a session of the server's user to it.
    /// - Returns: the agent; `nil` if the programs are not installed, or if the printed process identifier is not a number.
    /// - Throws: `ProgramError` if a program fails, or the error of the sign-in.
    static func start(at server: LocalOpenIDConnectServer, in folder: URL) async throws -> OIDCAgent? {
        let programs = ["oidc-agent", "oidc-gen", "oidc-token"].map { "/usr/bin/" + $0 }
        guard programs.allSatisfy(FileManager.default.isExecutableFile) else { return nil }
        let home = ["HOME": folder.path]
        let variables = variables(
            of: try Program(path: programs[0], environment: home).output(until: "export OIDCD_PID"))
        guard let process = variables["OIDCD_PID"].flatMap({ Int32($0) }) else { return nil }
        let environment = home.merging(variables) { $1 }
        do {
            let session = [
                "--manual", "--no-save", "--confirm-default", "--prompt=none", "--pw-env=HOME",
                "--iss=\(server.issuer)", "--client-id=\(client.id)", "--client-secret=a-secret",
                "--redirect-uri=http://localhost:4242", "--scope=openid offline_access", "--rt-env=REFRESH_TOKEN",
                "benchmark",
            ]
            let refreshToken = ["REFRESH_TOKEN": try await refreshToken(at: server).reveal()]
            try Program(
                path: programs[1], arguments: session, environment: environment.merging(refreshToken) { $1 }
            ).run()
        } catch {
            kill(process, SIGKILL)
            throw error
        }
        let token = Program(path: programs[2], arguments: ["benchmark"], environment: environment)
        return OIDCAgent(token: token, process: process)
    }

    /// Kills the agent, because it is slow to end by itself.
    func stop() { kill(process, SIGKILL) }

    /// Parses the variables in the agent's output for a shell, such as `OIDC_SOCK=/tmp/…; export OIDC_SOCK;`.
    private static func variables(of script: String) -> [String: String] {
        let assignments = script.split(whereSeparator: { $0 == ";" || $0.isNewline })
            .map { $0.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) } }
        return Dictionary(
            assignments.filter { $0.count == 2 }.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
    }

    private static func refreshToken(at server: LocalOpenIDConnectServer) async throws -> Secret {
        let settings = OpenIDConnectSettings(
            issuer: server.issuer, clientID: client.id, authentication: .clientSecretBasic("a-secret"),
            redirectURI: URL(string: "http://127.0.0.1/callback"), transportSecurity: .loopbackHTTPAllowed)
        let environment = IdentityEnvironment(store: MemoryTokenStore(), webAuthenticator: server.browser)
        let provider = OAuthSessionProvider(
            settings.server, context: ProviderContext(name: "agent", environment: environment))
        guard let account = try await provider.signIn(scopes: [], deviceToken: "benchmark"),
            let token = try await provider.sessions.storedCredential(of: account)?.refreshToken
        else { throw SessionError.notSignedIn(AccountID(account: server.user.id, realm: "agent")) }
        return token
    }
}
