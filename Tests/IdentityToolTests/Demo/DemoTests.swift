import Foundation
import IdentityKit
import Testing

@Suite struct DemoTests {
    @Test("The demo does every step and says so in one JSON document")
    func json() async throws {
        let result = try await Tool.run("demo", "--json")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        let report = try JSONValue(parsing: Data(result.output.utf8))
        #expect(report["ok"] == true)
        let steps = try #require(report["steps"]?.arrayValue)
        #expect(steps.count == 9)
        for step in steps {
            #expect(step["ok"] == true)
            #expect(step["title"]?.stringValue?.isEmpty == false)
            #expect(step["details"]?.arrayValue?.isEmpty == false)
            #expect(step["requests"]?.integerValue != nil)
            #expect(step["milliseconds"]?.numberValue != nil)
        }
    }

    @Test("Without a terminal there is no colour, and every step has its tick")
    func text() async throws {
        let result = try await Tool.run("demo")
        #expect(result.status == 0, "\(result.output.suffix(2000))")
        #expect(!result.output.contains("\u{1B}"))
        #expect(!result.output.contains("✘"))
        #expect(result.output.contains("The user name or the password is wrong. Try again."))
        #expect(result.output.contains("thunderid: the user signed out"))
        #expect(result.output.contains("requests"))
        // People by their names, and by no identifier.
        #expect(result.output.contains("Signed in as ada"))
        #expect(result.output.matches(of: /[0-9a-f]{8}-[0-9a-f]{4}-/).isEmpty, "\(result.output)")
    }

    @Test("Verbose shows each request and nothing secret")
    func verbose() async throws {
        let result = try await Tool.run("demo", "--json", "--verbose")
        #expect(result.status == 0, "\(result.output.suffix(2000))")
        let lines = result.errors.split(separator: "\n")
        let requests = try JSONValue(parsing: Data(result.output.utf8))["steps"]?.arrayValue?
            .compactMap { $0["requests"]?.integerValue }.reduce(0, +)
        #expect(lines.count == requests.map(Int.init))
        #expect(lines.contains { $0.contains("POST") && $0.contains("/oauth2/token -> 200") })
        for secret in ["eyJ", "Enchantress-1", "correct horse", "code_challenge=E"] {
            #expect(!result.errors.contains(secret) && !result.output.contains(secret))
        }
    }
}
