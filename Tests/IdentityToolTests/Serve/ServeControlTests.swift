import Foundation
import IdentityKit
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("What steers the InsForge server of identity serve", .endsInTime)
struct ServeControlTests {
    private let fixture: ServeFixture

    init() throws {
        fixture = try ServeFixture()
    }

    private func send(_ method: String, _ address: String, _ body: String = "") async throws -> (Int, JSONValue?) {
        var request = URLRequest(url: try #require(URL(string: address)))
        request.httpMethod = method
        if !body.isEmpty { request.httpBody = Data(body.utf8) }
        let (data, head) = try await DefaultTransport.make().data(for: request)
        return (head.statusCode, try? JSONValue(parsing: data))
    }

    @Test("It is announced with its server, makes the tool's next request fail, and tells what was issued")
    func steers() async throws {
        try await fixture.serve("--user", "grace:Hopper-1906", "--insforge-control-port", "0") { announced in
            let servers = announced["servers"]
            let control = try #require(servers?["insforge"]?["control"]?.stringValue)
            #expect(servers?["thunderid"]?["control"] == nil && servers?["oidc"]?["control"] == nil)
            #expect(try await send("POST", "\(control)/fail", #"{"path": "/api/auth", "status": 503}"#).0 == 200)
            func login() async throws -> Int32 {
                try await fixture.run(
                    "login", "--provider", "insforge", "--username", "grace@example.org", "--password-stdin",
                    input: "Hopper-1906\n"
                ).status
            }
            #expect(try await login() == 5)
            #expect(try await login() == 0)
            let tokens = try await send("GET", "\(control)/tokens").1?.arrayValue ?? []
            #expect(tokens.map { $0["kind"] } == ["access", "refresh"])
        }
    }

    @Test("Without its option it is not there, and a person is shown where it is")
    func option() async throws {
        try await fixture.serve { announced in
            #expect(announced["servers"]?["insforge"]?["control"] == nil)
        }
        let run = try ToolProcess.Run(["serve", "--insforge-control-port", "0"])
        await run.waits(for: "\n}\n")
        run.interrupt()
        let lines = await run.finish().output.split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("Control         http://127.0.0.1:") })
        #expect(line.hasSuffix("  controls InsForge"))
        let wrong = try await fixture.run("serve", "--insforge-control-port", "70000")
        #expect(wrong.status == 64 && wrong.errors.contains("70000 is not a port"))
    }
}
