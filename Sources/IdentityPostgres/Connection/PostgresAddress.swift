#if PostgreSQL
import Foundation
import IdentityKit
import CIdentityPostgres

/// The address of the database and the settings of its connections. libpq reads them from a URI or from keywords. The
/// initializer adds the defaults that the store relies on, such as `sslmode` and the keepalives.
struct PostgresAddress: Sendable {
    /// Description of the database for messages, without a password.
    let place: String
    /// Name of the role; empty if the address contains none. libpq then uses `PGUSER` or the system user's name.
    let role: String
    /// libpq's keywords with their values, in alphabetical order. They include the password, if the address contains one.
    let keywords: [(keyword: String, value: String)]
    let hosts: PostgresHosts

    /// Reads a URI (`postgresql://…`) or keywords.
    /// - Parameters:
    ///   - text: the URI or the keywords.
    ///   - weakerMode: the weakest `sslmode` that is accepted for a server on another machine.
    ///   - application: the `application_name` that the server shows for a connection, unless the address sets another.
    ///   - variables: the environment variables. libpq may take a host from them in place of a missing host or of a
    ///     socket.
    /// - Throws: `TokenStoreError.insecure` for a server on another machine with an `sslmode` that is unknown or weaker
    ///   than `weakerMode`; `TokenStoreError.unsupported` for a text that is empty, that contains a zero byte, or that
    ///   libpq does not understand.
    init(
        _ text: Secret, allowing weakerMode: PostgresTLS, application: String = "swift-identity",
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        var options = try Self.options(in: text.reveal())
        let hosts = Self.hosts(of: options, variables)
        let database = options["dbname"] ?? options["user"] ?? ""
        let port = options["port"].map { ":\($0)" } ?? ""
        place = "\(hosts.map { $0.isEmpty ? "localhost" : $0 }.joined(separator: ","))\(port)/\(database)"
        role = options["user"] ?? ""

        if !hosts.allSatisfy(Self.staysOnThisMachine) {
            let mode = options["sslmode"] ?? PostgresTLS.verified.rawValue
            guard let chosen = PostgresTLS(rawValue: mode), chosen.isAtLeast(weakerMode) else {
                throw TokenStoreError.insecure(
                    path: place,
                    detail: "its server would not be verified with sslmode=\(mode). Use verify-full, or set "
                        + "\"tls\": \"\(mode)\" to accept that")
            }
            options["sslmode"] = mode
        }
        // By default, connect only to a writable server, because a standby cannot store a rotated refresh token.
        options["target_session_attrs"] = options["target_session_attrs"] ?? "read-write"
        options["application_name"] = options["application_name"] ?? application
        options["client_encoding"] = "UTF8"
        // Keepalives reveal a dead server while nothing arrives. `keepalives_idle` and `keepalives_interval` are
        // seconds, and `tcp_user_timeout` is milliseconds.
        for (keyword, value) in [
            ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "5000"),
        ] {
            options[keyword] = options[keyword] ?? value
        }
        keywords = options.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        self.hosts = PostgresHosts(options)
    }

    /// Returns ``keywords`` with `host`, `hostaddr` and `port` of one host instead of the whole list.
    func keywords(for host: PostgresHosts.Host) -> [(keyword: String, value: String)] {
        let own = host.keywords
        return keywords.filter { keyword in !own.contains { $0.keyword == keyword.keyword } }
            + own.compactMap { keyword, value in value.map { (keyword, $0) } }
    }

    private static func options(in text: String) throws -> [String: String] {
        guard !text.utf8.contains(0), !text.isEmpty else {
            throw TokenStoreError.unsupported(detail: "the address of the database is empty or contains a zero byte")
        }
        var message: UnsafeMutablePointer<CChar>?
        guard let parsed = PQconninfoParse(text, &message) else {
            // Do not use libpq's message, which may quote the text and a password in it.
            PQfreemem(message)
            throw TokenStoreError.unsupported(
                detail: "the address of the database is not a connection URI such as postgresql://role@host/database")
        }
        defer { PQconninfoFree(parsed) }
        var options: [String: String] = [:]
        var option = parsed
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { options[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return options
    }

    /// Returns the address, or else the name, of each host that libpq connects to. An empty text is the default socket. The
    /// environment variable `PGHOSTADDR` replaces a missing host or a socket, and `PGHOST` replaces a missing host. A service
    /// of libpq, such as the one in `PGSERVICE`, may name any host instead, so that host counts as another machine.
    private static func hosts(of options: [String: String], _ variables: [String: String]) -> [String] {
        func list(_ text: String?) -> [String] {
            (text ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        func variable(_ name: String) -> [String] { list(variables[name]).filter { !$0.isEmpty } }
        let (names, addresses) = (list(options["host"]), list(options["hostaddr"]))
        return (0..<max(names.count, addresses.count, 1)).flatMap { index -> [String] in
            if index < addresses.count, !addresses[index].isEmpty { return [addresses[index]] }
            let name = index < names.count ? names[index] : ""
            guard name.isEmpty || name.hasPrefix("/") || name.hasPrefix("@") else { return [name] }
            let service = (options["service"] ?? variables["PGSERVICE"]).map { "the host of service \($0)" }
            let others = service.map { [$0] } ?? variable("PGHOSTADDR")
            if !others.isEmpty { return others }
            let named = variable("PGHOST")
            return name.isEmpty && !named.isEmpty ? named : [name]
        }
    }

    /// Whether the host is on this machine: an empty text, the folder of a socket, an abstract socket, `localhost`, or
    /// a loopback address.
    private static func staysOnThisMachine(_ host: String) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || ServerURL.isLoopback(host)
    }
}

extension PostgresAddress: CustomReflectable {
    /// Shows no keywords, because one of them may be the password.
    var customMirror: Mirror { Mirror(self, children: ["place": place, "role": role]) }
}
#endif
