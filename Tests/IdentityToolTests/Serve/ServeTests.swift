import Foundation
import IdentityKit
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ServeTests {
    @Test("Serve prints servers, users and a configuration, writes the file, and stops on Ctrl-C")
    func serves() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("identity-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("open to everybody".utf8).write(to: file)
        let run = try ToolProcess.Run(["serve", "--configuration", file.path])
        #expect(await run.firstLine.value.hasPrefix("ThunderID       http://127.0.0.1:"))
        run.interrupt()
        let result = await run.finish()
        #expect(result.status == 0)
        #expect(result.errors.contains("Stopped."))

        let start = try #require(result.output.firstIndex(of: "{"))
        let printed = try IdentityConfiguration(parsing: Data(result.output[start...].utf8))
        #expect(try IdentityConfiguration(contentsOf: file) == printed)
        #expect(printed.providers.map(\.type) == ["thunderid", "insforge", "openid-connect"])
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("The doctor finds nothing to mend after a sign-in at the served servers, whose sessions go with them")
    func doctor() async throws {
        let fixture = try ServeFixture()
        let temporary = fixture.folder.appendingPathComponent("temporary")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        let folders = {
            try FileManager.default.contentsOfDirectory(atPath: temporary.path).filter {
                $0.hasPrefix("identity-serve")
            }
        }
        try await fixture.serve(environment: ["TMPDIR": temporary.path]) { _ in
            let login = try await fixture.run(
                "login", "--provider", "insforge", "--username", "robin@example.org", "--password-stdin",
                input: "correct horse\n")
            #expect(login.status == 0, "\(login.errors)")
            let doctor = try await fixture.run("doctor", "--json")
            #expect(doctor.status == 0)
            let findings = try JSONValue(parsing: Data(doctor.output.utf8)).arrayValue ?? []
            #expect(findings.count > 5)
            #expect(findings.allSatisfy { $0["verdict"] == "ok" }, "\(doctor.output)")
            #expect(try folders().count == 1)
        }
        #expect(try folders().isEmpty)
    }

    @Test("The application identifier that ThunderID's pages take is printed, for people and for programs")
    func application() async throws {
        let run = try ToolProcess.Run(["serve"])
        await run.waits(for: "\n}\n")
        run.interrupt()
        let result = await run.finish()
        let line = try #require(result.output.split(separator: "\n").first { $0.hasPrefix("Application ") })
        let words = line.split(separator: " ")
        #expect(words[1].count > 8 && line.hasSuffix("the applicationId that ThunderID's pages take"))
        let fixture = try ServeFixture()
        try await fixture.serve { announced in
            let server = try #require(announced["servers"]?["thunderid"])
            let application = try #require(server["applicationId"]?.stringValue)
            let url = try #require(server["url"]?.stringValue.flatMap { URL(string: "\($0)/flow/execute") })
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(#"{"applicationId": "\#(application)", "flowType": "AUTHENTICATION"}"#.utf8)
            let (answer, head) = try await DefaultTransport.make().data(for: request)
            #expect(head.statusCode == 200, "\(String(decoding: answer, as: UTF8.self))")
            #expect(announced["servers"]?["oidc"]?["applicationId"] == nil)
        }
    }

    @Test(
        "A wrong command line is explained and exits with 64",
        arguments: [["serve", "--thunderid-port", "70000"], ["nonsense"]])
    func usage(arguments: [String]) async throws {
        let result = try await Tool.run(arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains("Usage:"))
    }

    @Test("A folder in a home that is missing is a wrong command line")
    func missingHome() async throws {
        let result = try await Tool.run("serve", "--data", "~/state", environment: ["HOME": "/"])
        #expect(result.status == 64 && result.output.isEmpty, "\(result)")
    }

    @Test("A configuration that cannot be written ends the start with one line")
    func unwritableConfiguration() async throws {
        let result = try await Tool.run("serve", "--configuration", "/dev/null/identity.json")
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(
            result.errors == "identity serve: /dev/null/identity.json cannot be written: Not a directory.\n")
    }

    @Test("A port that is taken is one clear line")
    func takenPort() async throws {
        let first = try ToolProcess.Run(["serve"])
        let line = await first.firstLine.value
        let port = try #require(line.split(separator: " ").dropFirst().first?.split(separator: ":").last)
        let second = try await Tool.run(["serve", "--thunderid-port", String(port)])
        #expect(second.status == 1)
        #expect(second.errors.hasPrefix("identity serve: "))
        first.interrupt()
        #expect(await first.finish().status == 0)
    }
}
