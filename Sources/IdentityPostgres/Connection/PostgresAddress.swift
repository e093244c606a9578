#if PostgreSQL
import Foundation
import IdentityKit
import CIdentityPostgres

/// The address of the database and the settings of its connections: what libpq reads from a connection URI or from
/// keywords, with every default that matters made explicit.
struct PostgresAddress: Sendable {
    /// The database in words, without a password.
    let place: String
    /// The role's name; empty when libpq takes the system user's.
    let role: String
    /// libpq's keywords and values.
    let keywords: [(keyword: String, value: String)]
    /// The hosts that these name.
    let hosts: PostgresHosts

    /// Reads a URI (`postgresql://…`) or keywords.
    /// - Parameters:
    ///   - text: the URI or the keywords.
    ///   - weakerMode: the `sslmode` that the configuration allows beside `verify-full`.
    ///   - application: what the server's lists show.
    /// - Throws: `TokenStoreError.insecure` for a connection that would not be verified,
    ///   `TokenStoreError.unsupported` for a text that libpq does not understand.
    init(_ text: Secret, allowing weakerMode: PostgresTLS, application: String = "swift-identity") throws {
        var options = try Self.options(in: text.reveal())
        let hosts = (options["hostaddr"] ?? options["host"] ?? "").split(separator: ",").map(String.init)
        let database = options["dbname"] ?? options["user"] ?? ""
        let port = options["port"].map { ":\($0)" } ?? ""
        place = "\(hosts.isEmpty ? "localhost" : hosts.joined(separator: ","))\(port)/\(database)"
        role = options["user"] ?? ""

        if !hosts.allSatisfy(Self.staysOnThisMachine) {
            let mode = options["sslmode"] ?? PostgresTLS.verified.rawValue
            guard mode == PostgresTLS.verified.rawValue || mode == weakerMode.rawValue else {
                throw TokenStoreError.insecure(
                    path: place,
                    detail: "its server would not be verified with sslmode=\(mode). Use verify-full, or set "
                        + "\"tls\": \"\(mode)\" to accept that")
            }
            options["sslmode"] = mode
        }
        // A rotated token is only safe where writes are accepted.
        options["target_session_attrs"] = options["target_session_attrs"] ?? "read-write"
        options["application_name"] = options["application_name"] ?? application
        options["client_encoding"] = "UTF8"
        // A server that has gone is noticed although nothing arrives. Milliseconds and seconds.
        for (keyword, value) in [
            ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "5000"),
        ] {
            options[keyword] = options[keyword] ?? value
        }
        keywords = options.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        self.hosts = PostgresHosts(options)
    }

    /// ``keywords`` for one of the hosts alone.
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
            // libpq's message may quote the text, and with it a password.
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

    /// A socket's folder, an abstract socket, or a loopback address.
    private static func staysOnThisMachine(_ host: String) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
            || host.hasPrefix("127.")
    }
}

extension PostgresAddress: CustomReflectable {
    /// Shows no keywords, of which one is the password.
    var customMirror: Mirror { Mirror(self, children: ["place": place, "role": role]) }
}
#endif
