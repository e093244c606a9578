import Foundation
import IdentityKit
import Testing

@testable import IdentityTool

@Suite struct EventLineTests {
    @Test("A token for a resource is told with the resource, without its query, and the session's own with none")
    func resource() throws {
        let account = AccountID(account: "ada", realm: "work")
        let change = AccountChange.sessionStored(account, resource: "https://api.example.com/v1?key=1")
        let line = EventLine(change.details, at: .distantPast)
        #expect(line.resource == "https://api.example.com/v1" && line.account == account.id && line.provider == "work")
        #expect(line.text.hasSuffix("the session of work/ada was stored for https://api.example.com/v1"))
        let document = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(line))
        #expect(document["resource"] == "https://api.example.com/v1")
        #expect(EventLine(AccountChange.sessionStored(account).details, at: .distantPast).resource == nil)
    }

    @Test("The help has the name of every event")
    func names() async throws {
        let account = AccountID(account: "ada", realm: "work")
        let changes: [AccountChange] = [
            .signedIn(account), .sessionStored(account), .sessionEnded(account, reason: "It is over."),
            .signedOut(account), .selected(account),
        ]
        let help = try await Tool.run("events", "--help").output
        #expect(Set(help.matches(of: /account\.[a-z_]+/).map { String($0.output) }) == Set(changes.map(\.details.name)))
    }
}
