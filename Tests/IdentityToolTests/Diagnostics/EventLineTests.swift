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
}
