import Foundation
import IdentityKit
import TestSupport
import Testing

@Suite(.endsInTime) struct NotStoredTests {
    @Test("A tool that could not store a refreshed session says so and fails")
    func fails() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            try await fixture.expireToken()
            let full = ["SWIFT_IDENTITY_FAULT": "exchange.answered=full"]
            let result = try await ToolProcess.Run(
                ["token"], environment: fixture.environment.merging(full) { $1 }
            ).finish()
            #expect(result.status == 5)
            #expect(result.errors.contains("could not be stored, so the server may end it"))
        }
    }
}
