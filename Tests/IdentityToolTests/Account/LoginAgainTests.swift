import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// After a session has ended, the next sign-in is shown, and leads somewhere.
@Suite(.endsInTime) struct LoginAgainTests {
    /// How a session came to its end.
    enum End: CaseIterable, Sendable {
        case refused, expired, absolute
    }

    @Test("A token that is gone says sign in, the sign-in is shown, and then there is a token", arguments: End.allCases)
    func again(end: End) async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            switch end {
            case .refused:
                try await fixture.expireToken()
                fixture.thunderID.revokeFamilies(ofUser: fixture.thunderID.user.id)
            case .expired:
                try await fixture.keep(fixture.thunderIDAccount, at: fixture.thunderID.url) {
                    ($0.refreshToken, $0.expiresAt) = (nil, Date() - 1)
                }
            case .absolute:
                try await fixture.keep(fixture.thunderIDAccount, at: fixture.thunderID.url) {
                    $0.sessionEndsAt = Date() - 1
                }
            }
            for _ in 1...2 { #expect(try await fixture.run("token").status == 3) }
            let flows = fixture.thunderID.http.log.count { $0.path.hasPrefix("/flow/execute") }
            let user = fixture.thunderID.user
            let login = try await fixture.run(
                "login", "--username", user.username, "--password-stdin", input: user.password.reveal() + "\n")
            #expect(login.status == 0 && login.output == fixture.thunderIDAccount.id + "\n", "\(login.errors)")
            #expect(fixture.thunderID.http.log.count { $0.path.hasPrefix("/flow/execute") } > flows)
            #expect(try await fixture.run("token").status == 0)
        }
    }

    @Test(
        "A sign-in that is shown again says first why",
        arguments: [
            ("suspended", "It was refused."), ("expired", "It has expired and cannot be refreshed."),
            ("absolute", "It has reached the end of its lifetime."), ("refused", "refresh"),
        ])
    func reason(end: String, words: String) async throws {
        try await withTool { fixture in
            try fixture.configure(fixture.insForgeProvider(named: "home"))
            let account = try await fixture.signIn().output.trimmingCharacters(in: .newlines)
            try await fixture.keep(try #require(AccountID(id: account)), at: fixture.insForge.url) {
                switch end {
                case "suspended":
                    $0.suspension = Suspension("test", because: "It was refused.", retries: .never, at: $0.issuedAt)
                case "expired": ($0.refreshToken, $0.expiresAt) = (nil, Date() - 1)
                case "absolute": $0.sessionEndsAt = Date() - 1
                default: $0.expiresAt = Date() - 1
                }
            }
            let user = fixture.insForge.user
            let login = try await fixture.run("login", input: "\(user.email)\n\(user.password)\n")
            #expect(login.status == 0 && login.output == account + "\n", "\(login)")
            let first = login.errors.split(separator: "\n").first ?? ""
            #expect(first.contains(words) && !first.contains("igned in"), "\(login.errors)")
        }
    }

    @Test("A session without a refresh token is told to end with its access token, at the sign-in and by the doctor")
    func noRefreshToken() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInOnDevice(allows: true).status == 0)
            #expect(try await !fixture.run("doctor", "--offline").output.contains("no refresh token"))
            fixture.openIDConnect.vary(.noFirstRefreshToken)
            let login = try await fixture.signInOnDevice(allows: true)
            #expect(login.status == 0)
            #expect(login.errors.contains("No refresh token came, so this session ends with its access token."))
            let doctor = try await fixture.run("doctor", "--offline")
            #expect(doctor.status == 0 && doctor.output.contains("has no refresh token"), "\(doctor)")
        }
    }

    @Test("A name or a password means a new sign-in, so that nobody is told to be signed in who is not")
    func anotherPerson() async throws {
        try await withTool { fixture in
            try fixture.configure(fixture.insForgeProvider(named: "home"))
            let account = try await fixture.signIn().output
            let other = try await fixture.run(
                "login", "--username", "mallory@example.org", "--password-stdin", input: "wrong\n")
            #expect(other.status == 4 && other.output.isEmpty && !other.errors.contains("igned in"), "\(other)")
            // The last two say how to sign in, if that is needed.
            for words in [["login"], ["login", "--timeout", "5"], ["login", "--no-browser"]] {
                let again = try await Tool.run(words, environment: fixture.environment)
                #expect(again.status == 0 && again.output == account, "\(again)")
                #expect(again.errors.hasPrefix("Already signed in as "), "\(again.errors)")
                #expect(again.errors.hasSuffix("; --again shows the page.\n"), "\(again.errors)")
            }
            let user = fixture.insForge.user
            let asked = try await fixture.run("login", "--again", input: "\(user.email)\n\(user.password)\n")
            #expect(asked.output == account && asked.errors.hasPrefix("Signed in with home"), "\(asked)")
        }
    }

    @Test(
        "An option that the provider cannot use is an error at once",
        arguments: [
            ["--provider", "any", "--username", "ada", "--password-stdin"],
            ["--provider", "home", "--prompt", "login"],
            ["--provider", "work", "--login-hint", "ada@example.org"], ["--device", "--login-hint", "ada"],
            ["--prompt", "login", "--username", "ada"],
        ])
    func unusable(options: [String]) async throws {
        try await withTool { fixture in
            let result = try await Tool.run(["login"] + options, environment: fixture.environment, input: "secret\n")
            #expect(result.status == 64 && result.output.isEmpty, "\(result)")
            #expect(fixture.openIDConnect.http.log.isEmpty && fixture.thunderID.http.log.isEmpty)
        }
    }

    @Test("A provider that needs no person is passed over, and a line says so")
    func passedOver() async throws {
        try await withTool { fixture in
            try fixture.configure(
                ProviderConfiguration(name: "guest", type: "anonymous", settings: [:]),
                fixture.insForgeProvider(named: "home"))
            let user = fixture.insForge.user
            let result = try await fixture.run("login", input: "\(user.email)\n\(user.password)\n")
            #expect(result.status == 0 && result.output.hasPrefix("home/"), "\(result)")
            #expect(
                result.errors.hasPrefix("Signing in with home (passed over: guest: it needs no person).\n"),
                "\(result.errors)")
            let named = try await fixture.run("login", "--provider", "guest")
            #expect(named.output.hasPrefix("guest/") && !named.errors.contains("Signed in"), "\(named)")
        }
    }
}
