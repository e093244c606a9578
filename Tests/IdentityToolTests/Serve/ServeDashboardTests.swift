import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The dashboard of identity serve", .endsInTime)
struct ServeDashboardTests {
    private let fixture: ServeFixture

    init() throws {
        fixture = try ServeFixture()
    }

    private func get(_ address: String) async throws -> (status: Int, text: String) {
        let (data, head) = try await DefaultTransport.make().data(
            for: URLRequest(url: try #require(URL(string: address))))
        return (head.statusCode, String(decoding: data, as: UTF8.self))
    }

    @Test("It shows who has signed in, and its button makes the tool's next request fail")
    func switches() async throws {
        try await fixture.serve("--user", "grace:Hopper-1906") { announced in
            let dashboard = try #require(announced["dashboard"]?.stringValue)
            let login = try await fixture.run(
                "login", "--provider", "insforge", "--username", "grace@example.org", "--password-stdin",
                input: "Hopper-1906\n")
            #expect(login.status == 0, "\(login.errors)")
            let page = try await get("\(dashboard)/insforge").text
            let people = try await get("\(dashboard)/insforge?tab=people").text
            #expect(people.contains("grace@example.org") && page.contains("<td>refresh</td>"))
            #expect(!page.contains("Hopper-1906") && !people.contains("Hopper-1906"))

            let faults = try await get("\(dashboard)/insforge?tab=faults").text
            let pieces = faults.components(separatedBy: #"name="token" value=""#)
            let token = try #require(pieces.dropFirst().first).prefix { $0 != "\"" }
            var press = URLRequest(url: try #require(URL(string: "\(dashboard)/insforge/fail")))
            press.httpMethod = "POST"
            press.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            press.httpBody = Data("token=\(token)&state=on".utf8)
            #expect(try await DefaultTransport.make().data(for: press).1.statusCode == 303)
            let address = "\(announced["servers"]?["insforge"]?["url"]?.stringValue ?? "")/api/health"
            #expect(try await get(address).status == 503)
            let refused = try await fixture.run(
                "login", "--provider", "insforge", "--username", "grace@example.org", "--password-stdin",
                input: "Hopper-1906\n")
            #expect(refused.status == 5, "\(refused.errors)")
        }
    }

    @Test("The configuration of a server's page signs in as it is")
    func configuration() async throws {
        try await fixture.serve("--user", "grace:Hopper-1906") { announced in
            let dashboard = try #require(announced["dashboard"]?.stringValue)
            let document = try await get("\(dashboard)/insforge/identity.json")
            #expect(document.status == 200)
            let page = try await get("\(dashboard)/insforge?tab=configuration").text
            #expect(page.contains(HTML(document.text).text))
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(document.text.utf8).write(to: file)
            let login = try await fixture.run(
                "login", "--config", file.path, "--username", "grace@example.org", "--password-stdin",
                input: "Hopper-1906\n")
            #expect(login.status == 0, "\(login.errors)")
            #expect(login.output.hasPrefix("insforge/"))
        }
    }

    @Test("Its port can be chosen, and one that is taken is one clear line")
    func port() async throws {
        try await fixture.serve { announced in
            let port = try #require(URL(string: announced["dashboard"]?.stringValue ?? "")?.port)
            let second = try await fixture.run("serve", "--dashboard-port", "\(port)")
            #expect(second.status == 1)
            #expect(
                second.errors
                    == "identity serve: Port \(port) is in use. End the program or the server that uses it, or choose "
                    + "another port.\n")
        }
    }
}
