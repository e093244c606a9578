import Foundation
import IdentityKit
import Testing

@Suite struct CredentialDateTests {
    @Test(
        "A stored session with a number that is no date is damaged",
        arguments: ["issuedAt", "expiresAt", "sessionEndsAt"])
    func storedDate(member: String) throws {
        let credential = Credential(
            accessToken: "a", issuedAt: .now, expiresAt: .now, signedInAt: .now, sessionEndsAt: .now, backend: "b")
        var document = try JSONValue(parsing: JSONEncoder().encode(credential))
        _ = try JSONDecoder().decode(Credential.self, from: JSONEncoder().encode(document))
        for number in [1e300, -1e300, 1e18] {
            document[member] = .number(number)
            let content = try JSONEncoder().encode(document)
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Credential.self, from: content) }
        }
    }
}
