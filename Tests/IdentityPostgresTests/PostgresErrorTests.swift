#if PostgreSQL
import IdentityKit
import Testing

@testable import IdentityPostgres

/// What goes wrong often has one sentence, which says what to do.
@Suite struct PostgresFailureTests {
    @Test(
        "The sentence names the setting, the GRANT or the file",
        arguments: [
            ("57014", "store_unavailable", "\"deadline\""), ("53300", "store_unavailable", "\"maximumConnections\""),
            ("42501", "store_not_writable", "GRANT SELECT, INSERT, UPDATE, DELETE ON \"identity_records\""),
            ("certificate.authority", "store_insecure", "sslrootcert"),
            ("certificate.host", "store_insecure", "\"url\""), ("timeline", "store_unavailable", "\"url\""),
            ("25006", "store_unavailable", "standby"), ("25006", "store_unavailable", "read-only"),
            ("40001", "store_unavailable", "No"), ("40P01", "store_unavailable", "No"), ("55P03", "store_busy", "db"),
        ])
    func sentences(code: String, failure: String, words: String) {
        let error = PostgresError.refused(code: code, message: "No").error(at: "db/identity", role: "app")
        #expect((error as? any IdentityFailure)?.failureCode == failure)
        #expect(error.identityMessage.contains(words), "\(error.identityMessage)")
        #expect(!error.identityMessage.contains("\n"))
    }

    @Test("A call that took too long names the setting")
    func timedOut() {
        #expect(PostgresError.timedOut.error(at: "p", role: "r").identityMessage.contains("\"deadline\""))
    }
}
#endif
