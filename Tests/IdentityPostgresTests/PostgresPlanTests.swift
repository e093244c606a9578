#if PostgreSQL
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// With many accounts, no statement reads what it does not need.
@Suite(.endsInTime) struct PostgresPlanTests {
    @Test("Every statement finds its rows by an index, whatever its values")
    func indexes() async throws {
        var options = PostgresTokenStore.Options.patient
        options.keepsAuditTrail = true
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store(options: options)
        try server.sql(
            """
            INSERT INTO identity_records (collection, id, name, generation, content)
            SELECT 'accounts', sha256(convert_to(number::text, 'UTF8')), convert_to(number::text, 'UTF8'), 1,
                CASE WHEN number % 10 > 0 THEN decode(repeat('5a', 100), 'hex') END FROM generate_series(1, 20000) AS number;
            INSERT INTO identity_leases (collection, id, holder, claim, ends_at)
            SELECT collection, id, substr(id, 1, 16), 1, now() FROM identity_records;
            INSERT INTO identity_changes (record) SELECT number FROM identity_records;
            INSERT INTO identity_audit (id, name, generation, action, place)
            SELECT id, name, 1, 'sign_in', 'web-1/1' FROM identity_records;
            INSERT INTO identity_schema (version, readable_by) SELECT -number, 1 FROM generate_series(1, 2000) AS number;
            ANALYZE;
            """, in: database)
        #expect(store.explanations.count >= 18)
        for (name, script) in store.explanations {
            let plan = try server.sql("SET plan_cache_mode = force_generic_plan; \(script)", in: database)
            #expect(plan.contains("Index"), "\(name)\n\(plan)")
            #expect(!plan.contains("Seq Scan on identity"), "\(name)\n\(plan)")
        }
    }
}
#endif
