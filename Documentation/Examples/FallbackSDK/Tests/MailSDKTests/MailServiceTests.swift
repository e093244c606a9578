import IdentityKit
import MailSDK
import Testing

/// An SDK that takes any provider is tested with one that has a token already.
@Suite struct MailServiceTests {
    // snippet: a-token-that-is-there
    @Test("A signed-in person has a token") func token() async throws {
        let ada = IdentityProviders.staticToken("token", for: AccountID(account: "ada", realm: "test"))
        let mail = MailService(identity: ada, deviceToken: "device")
        #expect(try await mail.session()?.token == "token")
    }
    // end snippet

    @Test("The report says who answers, and why the others do not") func report() async throws {
        let person = IdentityProviders.storedAccount(
            realm: "work", backend: "https://id.example.com", store: MemoryTokenStore())
        let machine = IdentityProviders.staticToken("token", for: AccountID(account: "build", realm: "machine"))
        let identity = try IdentityProviderChain([.init("person", person), .init("machine", machine)])
        let mail = MailService(identity: identity, deviceToken: "device")
        #expect(try await mail.session()?.account.id == "machine/build")
        #expect(await mail.report() == ["person: nobody has signed in", "machine: signed in as machine/build"])
    }
}
