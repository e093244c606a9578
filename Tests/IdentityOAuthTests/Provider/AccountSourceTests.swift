import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import TestSupport
import Testing

@Suite("Who signed in, by a server's own resource")
struct AccountSourceTests {
    /// Signs in at a server whose resource returns `response`.
    private func account(
        _ response: LocalResponse, identifier: String = "id", profile: AccountSource.ProfileMembers = .init()
    ) async throws -> (AccountID, AccountProfile?) {
        let plain = try await PlainServer()
        let provider = try plain.provider {
            $0.account = .request(
                plain.local.url.appendingPathComponent("api/resource"), identifier: identifier, profile: profile)
        }
        plain.local.http.fail(.answer(response), pathPrefix: "/api/resource")
        do {
            let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
            let credential = try await provider.sessions.storedCredential(of: account)
            await plain.local.stop()
            return (account, credential?.profile)
        } catch {
            #expect(try await plain.store.records(in: .accounts).records.allSatisfy { $0.content == nil })
            await plain.local.stop()
            throw error
        }
    }

    @Test("A text and a whole number identify a person, also inside another member")
    func identifiers() async throws {
        #expect(try await account(.json(["id": "ada"])).0.account == "ada")
        #expect(try await account(.json(["id": 42])).0.account == "42")
        #expect(try await account(.json(["user": ["id": 7]]), identifier: "user.id").0.account == "7")
        #expect(try await account(.json([["id": 7], ["id": 8]]), identifier: "0.id").0.account == "7")
        let longest = String(repeating: "x", count: 255)
        #expect(try await account(.json(["id": .string(longest)])).0.account == longest)
    }

    @Test("The address of a picture may be made of what the server tells, which must be words")
    func pictureTemplate() async throws {
        let profile = AccountSource.ProfileMembers(picture: "https://pictures.example/{user.id}/{picture}.png")
        for (picture, address) in [
            ("a_83-4", "https://pictures.example/7/a_83-4.png"), ("../x", nil), ("", nil), ("a?b", nil), (nil, nil),
        ] as [(String?, String?)] {
            let document: JSONValue = [
                "id": "ada", "user": ["id": 7], "picture": picture.map(JSONValue.string) ?? .null,
            ]
            let shown = try await account(.json(document), profile: profile).1?.picture
            #expect(shown?.absoluteString == address)
        }
    }

    @Test("Where the person has no e-mail address, the primary one of a list counts, if it is verified")
    func emails() async throws {
        func email(_ document: JSONValue, _ list: LocalResponse) async throws -> String? {
            let plain = try await PlainServer()
            var profile = AccountSource.ProfileMembers(email: "email")
            profile.emails = plain.local.url.appendingPathComponent("emails")
            let provider = try plain.provider {
                $0.account = .request(
                    plain.local.url.appendingPathComponent("api/resource"), identifier: "id", profile: profile)
            }
            plain.local.http.fail(.answer(.json(document)), pathPrefix: "/api/resource")
            plain.local.http.fail(.answer(list), pathPrefix: "/emails")
            let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
            let credential = try await provider.sessions.storedCredential(of: account)
            await plain.local.stop()
            return credential?.profile?.email
        }
        func entry(_ email: String, primary: Bool, verified: Bool) -> JSONValue {
            ["email": .string(email), "primary": .bool(primary), "verified": .bool(verified)]
        }
        let other = entry("other@example.org", primary: false, verified: true)
        let ada = entry("ada@example.org", primary: true, verified: true)
        #expect(try await email(["id": 7, "email": nil], .json([other, ada])) == "ada@example.org")
        #expect(try await email(["id": 7, "email": "a@example.org"], .json([ada])) == "a@example.org")
        let unproven = entry("ada@example.org", primary: true, verified: false)
        #expect(try await email(["id": 7], .json([other, unproven])) == nil)
        #expect(try await email(["id": 7], .text("", status: 403)) == nil)
    }

    @Test(
        "No one signs in without one",
        arguments: [
            [:], ["id": ""], ["id": true], ["id": 4.5], ["id": ["ada"]], ["id": ["id": "ada"]],
            ["id": .string(String(repeating: "x", count: 256))], ["user": ["id": "ada"]],
        ] as [JSONValue])
    func noIdentifier(resource: JSONValue) async throws {
        let error = await #expect(throws: OAuthError.self) { try await account(.json(resource)) }
        #expect(error?.failureCode == "userinfo_missing_identifier")
        #expect(error?.failureClass == .definitive)
    }

    @Test("A response that is no JSON object or list, or an error, identifies no person")
    func unusable() async throws {
        for (response, code) in [
            (LocalResponse.text("ada"), "answer_wrong_content_type"),
            (.json(["ada"]), "userinfo_missing_identifier"), (.json("ada"), "answer_malformed_json"),
            (
                LocalResponse(status: 200, headers: [("Content-Type", "application/json")], body: Data("[".utf8)),
                "answer_malformed_json"
            ),
            (.text("", status: 403), "answer_failed_status"),
        ] {
            let error = await #expect(throws: OAuthError.self) { try await account(response) }
            #expect(error?.failureCode == code)
        }
    }

    @Test("The token goes to no address that is not safe")
    func plainHTTP() async throws {
        let plain = try await PlainServer()
        let address = try URL.known("http://api.example/me")
        let provider = try plain.provider { $0.account = .request(address, identifier: "id") }
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureCode == "setting_insecure_endpoint")
        #expect(await plain.wire.statuses(of: "/me").isEmpty)
        await plain.local.stop()
    }

    @Test("What is shown of a person is read from the members that are named")
    func profile() async throws {
        let resource = LocalResponse.json([
            "id": "1", "name": "Ada", "contact": ["mail": "ada@example.org"], "login": "ada", "picture": 4,
        ])
        let profile = try await account(
            resource,
            profile: .init(displayName: "name", email: "contact.mail", username: "login", picture: "picture")
        ).1
        #expect(profile?.displayName == "Ada")
        #expect(profile?.email == "ada@example.org")
        #expect(profile?.username == "ada")
    }
}
