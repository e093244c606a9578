#if PostgreSQL
import Foundation
import IdentityKit
import TestSupport
import Testing

@testable import IdentityPostgres

/// What an address leads to, and how its server is verified.
@Suite(.endsInTime) struct PostgresAddressTests {
    @Test(
        "A server on another machine is verified, and one on this machine need not be",
        arguments: [
            ("postgresql://app@db.example.com/identity", "verify-full"),
            ("postgresql://app@db.example.com,localhost/identity", "verify-full"),
            ("host=db.example.com hostaddr=192.0.2.1 dbname=identity", "verify-full"),
            ("postgresql://app@127.example.com/identity", "verify-full"),
            ("service=remote", "verify-full"),
            ("postgresql://app@localhost/identity", nil),
            ("postgresql://app@127.0.0.1:5433/identity", nil),
            ("postgresql://app@%2Frun%2Fpostgresql/identity", nil),
            ("host=/run/postgresql dbname=identity", nil),
        ])
    func verified(text: String, mode: String?) throws {
        let address = try PostgresAddress(Secret(text), allowing: .verified)
        #expect(address.keywords.first { $0.keyword == "sslmode" }?.value == mode)
    }

    @Test(
        "A host that the environment names is verified like one of the address",
        arguments: [
            (["PGHOST": "db.example.com"], "verify-full"), (["PGHOSTADDR": "192.0.2.1"], "verify-full"),
            (["PGSERVICE": "remote"], "verify-full"), (["PGHOST": "/run/postgresql"], nil), ([:], nil),
            (["PGHOSTADDR": "", "PGHOST": "db.example.com"], "verify-full"),
        ] as [([String: String], String?)])
    func environment(variables: [String: String], mode: String?) throws {
        let address = try PostgresAddress("dbname=identity", allowing: .verified, variables: variables)
        #expect(address.keywords.first { $0.keyword == "sslmode" }?.value == mode)
    }

    @Test(
        "Each host is judged by its own address, and a socket by that of the environment",
        arguments: [
            ("host=/run/postgresql", "192.0.2.1", "verify-full"),
            ("hostaddr='' host=db.example.com", "", "verify-full"),
            ("hostaddr=127.0.0.1, host=localhost,db.example.com", "", "verify-full"),
            ("host=db.example.com", "127.0.0.1", "verify-full"), ("host=localhost", "192.0.2.1", nil),
        ] as [(String, String, String?)])
    func eachHost(text: String, address: String, mode: String?) throws {
        let read = try PostgresAddress(Secret(text), allowing: .verified, variables: ["PGHOSTADDR": address])
        #expect(read.keywords.first { $0.keyword == "sslmode" }?.value == mode)
    }

    @Test("A mode that is stronger than the named one is taken, and a weaker one is not")
    func stronger() throws {
        let text: Secret = "postgresql://app@db.example.com/identity?sslmode=verify-ca"
        let address = try PostgresAddress(text, allowing: .unverified)
        #expect(address.keywords.contains { $0 == ("sslmode", "verify-ca") })
        let weaker: Secret = "postgresql://app@db.example.com/identity?sslmode=prefer"
        #expect(throws: TokenStoreError.self) { try PostgresAddress(weaker, allowing: .unverified) }
    }

    @Test(
        "A weaker mode must be named beside the address",
        arguments: ["verify-ca", "require", "prefer", "allow", "disable", "nonsense"])
    func weak(mode: String) throws {
        let text = Secret("postgresql://app:hunter2@db.example.com/identity?sslmode=\(mode)")
        let error = #expect(throws: TokenStoreError.self) { try PostgresAddress(text, allowing: .verified) }
        #expect(error?.failureCode == "store_insecure")
        #expect(error?.message.contains("hunter2") == false && error?.message.contains(mode) == true)
        guard let named = PostgresTLS(rawValue: mode) else { return }
        let address = try PostgresAddress(text, allowing: named)
        #expect(address.keywords.contains { $0 == ("sslmode", mode) })
    }

    @Test(
        "A server that takes writes is looked for unless the address says otherwise, at each of its hosts",
        arguments: [
            ("host=/a,/b passfile=/secret", "read-write"),
            ("host=/a,/b passfile=/secret target_session_attrs=primary", "primary"),
        ])
    func target(text: String, target: String) throws {
        let address = try PostgresAddress(Secret(text), allowing: .verified)
        let second = PostgresHosts.Host(name: "/b", address: nil, port: nil, position: 1)
        let keywords = address.keywords(for: second).reduce(into: [:]) { $0[$1.keyword, default: []].append($1.value) }
        #expect(keywords["target_session_attrs"] == [target] && keywords["passfile"] == ["/secret"])
        #expect(keywords["host"] == ["/b"])
    }

    @Test(
        "A text that libpq does not understand is refused without being repeated",
        arguments: ["", "hunter2", "a=b", "postgresql://[::1/x", "host='", "\u{0}"])
    func malformed(text: String) {
        let error = #expect(throws: TokenStoreError.self) { try PostgresAddress(Secret(text), allowing: .verified) }
        #expect(error?.failureCode == "store_unsupported" && error?.message.contains("hunter2") == false)
    }

    @Test("The place in errors has no password")
    func place() throws {
        let address = try PostgresAddress("postgresql://app:hunter2@db.example.com:6543/identity", allowing: .verified)
        #expect(address.place == "db.example.com:6543/identity" && address.role == "app")
    }

    @Test(
        "Names of tables are of few characters",
        arguments: ["", "A", "a b", "a;", "\"", "ä", "1a", String(repeating: "a", count: 25)])
    func tables(name: String) {
        #expect(throws: TokenStoreError.self) { try PostgresTables(schema: name) }
        #expect(throws: TokenStoreError.self) { try PostgresTables(prefix: name) }
    }
}
#endif
