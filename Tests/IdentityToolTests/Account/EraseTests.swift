import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import TestSupport
import Testing

@Suite(.endsInTime) struct EraseTests {
    private let ada = AccountID(account: "ada", realm: "home")

    @Test("With --yes an account is signed out and erased, and others stay")
    func erased() async throws {
        try await withTool { fixture in
            try await fixture.keep(ada, at: fixture.insForge.url)
            let account = try await fixture.signIn().output.trimmingCharacters(in: .newlines)
            let result = try await fixture.run("erase", "--yes", account)
            #expect(result.status == 0 && result.output.isEmpty, "\(result)")
            #expect(result.errors.hasPrefix("Erased ") && !result.errors.contains(account), "\(result.errors)")
            // A sign-out leaves it as the account that was the current one.
            let current = try await fixture.configuration.store.open().records(in: .currentAccounts).records
            #expect(!current.contains { $0.content?.contains(text: fixture.insForge.user.id) == true })
            let left = try await fixture.run("accounts", "--json").output
            #expect(!left.contains(account) && left.contains(ada.id), "\(left)")
        }
    }

    @Test("An account whose provider is not configured any more is erased, and its server is not told")
    func withoutProvider() async throws {
        try await withTool { fixture in
            try await fixture.keep(ada, at: fixture.insForge.url)
            #expect(try await fixture.run("switch", ada.id).status == 0)
            try fixture.configure(fixture.insForgeProvider(named: "other"))
            let result = try await fixture.run("erase", "--yes", ada.id)
            #expect(result.status == 0 && result.errors.contains("The server of home/ada was not told"), "\(result)")
            let store = try fixture.configuration.store.open()
            for collection in [.accounts, .currentAccounts] as [StoreKey.Collection] {
                let records = try await store.records(in: collection).records
                #expect(!records.contains { $0.content?.contains(text: "ada") == true })
            }
            #expect(try await store.record(for: .account(ada))?.content == nil)
            let again = try await fixture.run("erase", "--yes", ada.id)
            #expect(again.status == 0 && again.errors == "Erased home/ada.\n", "\(again)")
        }
    }

    @Test("A server that is away is not told later of an account that was erased, and the line says so")
    func serverAway() async throws {
        try await withTool { fixture in
            let account = try await fixture.signInAtThunderID().output.trimmingCharacters(in: .newlines)
            await fixture.thunderID.stop()
            let result = try await fixture.run("erase", "--yes", account)
            #expect(result.status == 0 && result.errors.contains("could not be ended at its backend"), "\(result)")
            #expect(!result.errors.contains("told later"), "\(result)")
            let waiting = try await fixture.configuration.store.open().records(in: .revocations).records
            #expect(!waiting.isEmpty && waiting.allSatisfy { $0.content == nil })
        }
    }

    @Test("A server that waits to be told is not told of an account without a provider, and the line says so")
    func waitingWithoutProvider() async throws {
        try await withTool { fixture in
            let account = try await fixture.signInAtThunderID().output.trimmingCharacters(in: .newlines)
            await fixture.thunderID.stop()
            #expect(try await fixture.run("logout").errors.contains("told later"))
            try fixture.configure(fixture.insForgeProvider(named: "home"))
            let result = try await fixture.run("erase", "--yes", account)
            #expect(result.status == 0 && result.errors.contains("could not be ended at its backend"), "\(result)")
            let again = try await fixture.run("erase", "--yes", account)
            #expect(again.status == 0 && !again.errors.contains("could not be ended"), "\(again)")
        }
    }

    @Test("A server that refuses a sign-out has a line of its own beside an older sign-out that is not told later")
    func refusedBesideWaiting() async throws {
        try await withTool { fixture in
            // An older sign-out is told again after a minute, which never passes here.
            let (account, clock) = (AccountID(account: "3", realm: "work"), ManualClock())
            func run(_ command: String, refusing status: Int) async throws -> ToolProcess.Result {
                try await fixture.keep(account, at: fixture.thunderID.url)
                let refusal = LocalResponse.json(["error": "invalid_client"], status: status)
                fixture.thunderID.http.fail(.answer(refusal), pathPrefix: "/oauth2/revoke")
                let words = command.split(separator: " ").map(String.init) + [account.id]
                return try await Tool.run(words, environment: fixture.environment, clock: clock.timeSource)
            }
            #expect(try await run("logout", refusing: 503).errors.contains("told later"))
            let result = try await run("erase --yes", refusing: 401)
            let lines = result.errors.components(separatedBy: "could not be ended at its backend").count - 1
            #expect(result.status == 0 && lines == 2 && !result.errors.contains("told later"), "\(result)")
        }
    }

    @Test("It prints what was erased, and an account without a session is erased by its identifier")
    func json() async throws {
        try await withTool { fixture in
            for _ in 0..<2 {
                let result = try await fixture.run("erase", "--yes", "--json", ada.id)
                #expect(result.status == 0 && result.output.contains(#""erased" : "home/ada""#), "\(result)")
            }
            #expect(try await fixture.run("erase", "--yes", "nobody").status == 3)
        }
    }

    @Test("With --yes the identifier of an erased account erases no account whose identifier begins with it")
    func whole() async throws {
        try await withTool { fixture in
            for name in ["1", "12"] {
                try await fixture.keep(AccountID(account: name, realm: "home"), at: fixture.insForge.url)
            }
            for _ in 0..<2 {
                let result = try await fixture.run("erase", "--yes", "home/1")
                #expect(result.status == 0 && result.errors.hasPrefix("Erased home/1.\n"), "\(result)")
            }
            #expect(try await fixture.run("accounts", "--json").output.contains(#""home/12""#))
        }
    }

    @Test("Without a terminal it needs --yes, and erases nothing")
    func noTerminal() async throws {
        try await withTool { fixture in
            try await fixture.keep(ada, at: fixture.insForge.url)
            let result = try await fixture.run("erase", ada.id)
            #expect(result.status == 64 && result.errors.contains("--yes"), "\(result)")
            #expect(try await fixture.run("accounts", "--json").output.contains(ada.id))
        }
    }

    @Test("At a terminal it asks, and nothing but yes erases", arguments: ["yes", "no", ""])
    func asks(answer: String) async throws {
        try await withTool { fixture in
            try await fixture.keep(ada, at: fixture.insForge.url)
            let result = try await fixture.run("erase", "ada", typing: [answer])
            #expect(result.status == (answer == "yes" ? 0 : 1), "\(result)")
            #expect(result.errors.contains("Type yes [no]: "), "\(result)")
            let left = try await fixture.run("accounts", "--json").output
            #expect(left.contains(ada.id) == (answer != "yes"), "\(left)")
        }
    }
}

extension Data {
    fileprivate func contains(text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
