import Foundation

/// A local server as the dashboard presents it, with its activity and its switches.
package struct DashboardSite: Sendable {
    let key: String
    let name: String
    let url: URL
    let http: LocalHTTPServer
    let report: @Sendable () -> LocalServerReport
    let rotateKeys: @Sendable () throws -> Void
    let revocation: Revocation
    let records: [DashboardRecords]
    /// Returns a configuration of the command-line tool for the server's current state, as JSON. If the result is `nil`,
    /// the server's page has no configuration tab.
    package var configuration: @Sendable () -> String? = { nil }

    /// The server's support for revoking tokens that it has issued.
    enum Revocation: Sendable {
        /// Each sign-in makes a family of tokens that can be revoked.
        case families(one: @Sendable (String) -> Void, all: @Sendable () -> Void)
        /// The server cannot revoke tokens, for this reason.
        case none(String)
    }

    package init(_ server: LocalThunderIDServer) {
        self.init(
            server, key: "thunderid", rotateKeys: server.rotateSigningKey,
            revocation: .families(one: server.revokeFamily, all: server.revokeAllFamilies),
            records: [.people(of: server), .clients(of: server)])
    }

    package init(_ server: LocalInsForgeServer) {
        self.init(
            server, key: "insforge", rotateKeys: { try server.rotateSigningKey() },
            revocation: .none(
                """
                InsForge keeps no sessions: a token is good until it expires, a refresh token also until its user is gone.
                """),
            records: [.people(of: server)])
    }

    package init(_ server: LocalOpenIDConnectServer) {
        self.init(
            server, key: "oidc", rotateKeys: { try server.rotateSigningKey() },
            revocation: .families(one: server.revokeFamily, all: server.revokeAllFamilies),
            records: [.people(of: server), .clients(of: server)])
    }

    private init<Server: LocalServer>(
        _ server: Server, key: String, rotateKeys: @escaping @Sendable () throws -> Void, revocation: Revocation,
        records: [DashboardRecords]
    ) where Server.Backend: ServerBackend {
        (self.key, name, url, http) = (key, server.backend.site, server.url, server.http)
        report = { server.report }
        (self.rotateKeys, self.revocation, self.records) = (rotateKeys, revocation, records)
    }
}
