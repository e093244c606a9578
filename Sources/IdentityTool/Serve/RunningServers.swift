import Foundation
import IdentityKit
import IdentityLocalServers

/// The three servers of `identity serve` and their dashboard.
struct RunningServers: Sendable {
    let thunderID: LocalThunderIDServer
    let insForge: LocalInsForgeServer
    let openIDConnect: LocalOpenIDConnectServer
    let dashboard: LocalDashboard

    struct Start: Sendable {
        var setup: ServeSetup
        /// Ports by the raw value of ``ServeSetup/Server``, and the dashboard's port by ``RunningServers/dashboardKey``. The
        /// number 0 or a missing entry means any free port.
        var ports: [String: Int]
        /// The port on which tests can control the InsForge server, 0 for any free port; `nil` for no such port.
        var insForgeControlPort: Int?
        /// The lifetime of ThunderID's and OpenID Connect's access tokens in seconds; `nil` for the servers' defaults.
        /// InsForge's tokens keep their own lifetime.
        var accessTokenLifetime: Int?
        var store: String
        /// The folder in which the servers save their state; `nil` to keep the state only in memory.
        var data: ServeData?

        func port(of server: ServeSetup.Server) -> Int { ports[server.rawValue] ?? 0 }
    }

    /// Starts the servers, and then the dashboard. If one of them fails to start, stops those already running.
    /// - Throws: `PortInUseError`, `SavedStateError`, `PrivateFolderError`, or another error of binding a port or of making a
    ///   key.
    static func start(_ start: Start) async throws -> RunningServers {
        var thunderIDConfiguration = start.setup.thunderIDConfiguration
        var openIDConfiguration = start.setup.openIDConfiguration
        if let lifetime = start.accessTokenLifetime.map({ Duration.seconds($0) }) {
            thunderIDConfiguration.accessTokenLifetime = lifetime
            openIDConfiguration.accessTokenLifetime = lifetime
        }
        var stops: [@Sendable () async -> Void] = []
        do {
            let thunderID = try await LocalThunderIDServer.start(
                port: start.port(of: .thunderid), configuration: thunderIDConfiguration,
                storage: try start.data?.storage(of: .thunderid))
            stops.append { await thunderID.stop() }
            let insForge = try await LocalInsForgeServer.start(
                port: start.port(of: .insforge), configuration: start.setup.insForgeConfiguration,
                storage: try start.data?.storage(of: .insforge))
            stops.append { await insForge.stop() }
            if let port = start.insForgeControlPort { try await insForge.openControl(on: port) }
            let openIDConnect = try await LocalOpenIDConnectServer.start(
                port: start.port(of: .oidc), configuration: openIDConfiguration,
                storage: try start.data?.storage(of: .oidc))
            stops.append { await openIDConnect.stop() }
            let dashboard = try await LocalDashboard.start(
                port: start.ports[dashboardKey] ?? 0,
                about: [
                    site(DashboardSite(thunderID), store: start.store) { LocalServers.provider(for: thunderID) },
                    site(DashboardSite(insForge), store: start.store) { LocalServers.provider(for: insForge) },
                    site(DashboardSite(openIDConnect), store: start.store) {
                        LocalServers.provider(for: openIDConnect)
                    },
                ])
            return RunningServers(
                thunderID: thunderID, insForge: insForge, openIDConnect: openIDConnect, dashboard: dashboard)
        } catch {
            for stop in stops { await stop() }
            throw error
        }
    }

    /// Returns `site` with a configuration for the command-line tool.
    /// - Parameters:
    ///   - store: the folder of the configuration's token store.
    ///   - provider: returns the configuration of the server's provider for the server's current state.
    private static func site(
        _ site: DashboardSite, store: String, provider: @escaping @Sendable () -> ProviderConfiguration
    ) -> DashboardSite {
        var site = site
        site.configuration = {
            try? IdentityConfiguration(store: .file(folder: store), providers: [provider()]).json()
        }
        return site
    }

    /// The dashboard's key in the dictionaries of ports.
    static let dashboardKey = "dashboard"

    func stop() async {
        await dashboard.stop()
        await thunderID.stop()
        await insForge.stop()
        await openIDConnect.stop()
    }

    func url(of server: ServeSetup.Server) -> URL {
        switch server {
        case .thunderid: thunderID.http.url
        case .insforge: insForge.url
        case .oidc: openIDConnect.url
        }
    }

    /// The names with which people sign in at `server` now, and the first configured user there with the configured
    /// password; `user` is `nil` if the server refuses this password.
    func people(at server: ServeSetup.Server) -> (names: [String], user: (name: String, password: String)?) {
        switch server {
        case .thunderid:
            let user = (name: thunderID.user.username, password: thunderID.user.password.reveal())
            return (thunderID.report.people.map(\.name), thunderID.acceptsUser ? user : nil)
        case .insforge:
            let user = (name: insForge.user.email, password: insForge.user.password)
            return (insForge.report.people.map(\.name), insForge.acceptsUser ? user : nil)
        case .oidc:
            let user = (name: openIDConnect.user.username, password: openIDConnect.user.password.reveal())
            return (openIDConnect.report.people.map(\.name), openIDConnect.acceptsUser ? user : nil)
        }
    }

    var ports: [String: Int] {
        var ports = [Self.dashboardKey: dashboard.url.port ?? 0]
        for server in ServeSetup.Server.allCases { ports[server.rawValue] = url(of: server).port ?? 0 }
        return ports
    }

    func configuration(store folder: String) -> IdentityConfiguration {
        IdentityConfiguration(
            store: .file(folder: folder),
            providers: [
                LocalServers.provider(for: thunderID),
                LocalServers.provider(for: insForge),
                LocalServers.provider(for: openIDConnect),
            ])
    }
}
