import Foundation
import IdentityKit
import IdentityLocalServers
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

    @Test("The response of a request is printed, also if the refreshed session could not be stored")
    func printsResponse() async throws {
        try await withTool { fixture in
            let api = try await LocalHTTPServer.start { .text(String(decoding: $0.body, as: UTF8.self)) }
            #expect(try await fixture.signInAtThunderID().status == 0)
            try await fixture.expireToken()
            let full = ["SWIFT_IDENTITY_FAULT": "exchange.answered=full"]
            let result = try await ToolProcess.Run(
                ["request", api.url.absoluteString, "-d", "an item"],
                environment: fixture.environment.merging(full) { $1 }
            ).finish()
            #expect(result.status == 5 && result.output == "an item", "\(result)")
            #expect(result.errors.contains("could not be stored, so the server may end it"), "\(result)")
            await api.stop()
        }
    }
}
