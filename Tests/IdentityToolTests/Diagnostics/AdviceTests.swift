import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

@testable import IdentityTool

/// People are told what helps, and told it once.
@Suite(.endsInTime) struct AdviceTests {
    @Test(
        "When a session has ended, every command says why once and what to do once",
        arguments: ["token", "whoami", "exec -- true", "request http://127.0.0.1:1/"])
    func ended(command: String) async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            try await fixture.expireToken()
            fixture.thunderID.revokeFamilies(ofUser: fixture.thunderID.user.id)
            let first = try await fixture.run("token")
            #expect(first.status == 3 && first.signInRequests == 1, "\(first.errors)")
            let result = try await fixture.run(line: command)
            expectOneLine(result, status: 3, of: command)
            #expect(result.signInRequests == 1, "\(result.errors)")
            #expect(result.errors.components(separatedBy: "nobody has signed in").count <= 2, "\(result.errors)")
            #expect(!result.errors.contains("..") && !result.errors.contains(".;") && !result.errors.contains(".)"))
        }
    }

    @Test("The command to sign in names the provider of an account that is not the active one")
    func otherAccount() async throws {
        try await withTool { fixture in
            try await fixture.keep(AccountID(account: "1", realm: "home"), at: fixture.insForge.url)
            #expect(try await fixture.signInAtThunderID().status == 0)
            try await fixture.expireToken()
            fixture.thunderID.revokeFamilies(ofUser: fixture.thunderID.user.id)
            #expect(try await fixture.run("switch", "home").status == 0)
            let result = try await fixture.run("token", "--account", fixture.thunderIDAccount.id)
            #expect(result.status == 3)
            #expect(result.errors.hasSuffix(" Sign in with: identity login --provider work\n"), "\(result)")
        }
    }

    @Test("A record of before, whose reason says what to do as well, is read without it")
    func formerRecord() async throws {
        try await withTool { fixture in
            try await fixture.end(
                AccountID(account: "1", realm: "home"),
                #"{"endReason": "It is over. Sign in again.", "signedInAt": 0, "backend": "b"}"#
            )
            #expect(try await fixture.run("accounts").output.contains("ended: It is over.\n"))
        }
    }

    @Test("The error of a sign-in that cannot be shown does not advise to sign in")
    func nobodyCanShow() async throws {
        try await withTool { fixture in
            try fixture.configure(ProviderConfiguration(name: "ci", type: "environment-token", settings: [:]))
            let result = try await fixture.run("login")
            expectOneLine(result, status: 78, of: "login")
            #expect(result.signInRequests == 0 && result.errors.contains("ci: "), "\(result.errors)")
        }
    }

    @Test("Scopes that are missing are in the command to run, and nothing is said twice")
    func scopes() async throws {
        try await withTool { fixture in
            try await fixture.keep(AccountID(account: "1", realm: "home"), at: fixture.insForge.url) {
                $0.scopes = ["openid"]
            }
            let result = try await fixture.run("token", "--scope", "mail")
            #expect(
                result.errors
                    == "identity: The session of home/1 lacks mail. Sign in with: identity login --scope mail\n")
        }
    }

    // MARK: Statuses

    private struct Failure: IdentityFailure {
        let failureCode: String
        var failureClass = FailureClass.definitive
        let message = "No."
    }

    @Test(
        "A denial is 4, whatever provider tells it",
        arguments: [
            "access_denied", "login_required", "consent_required", "email_not_verified", "EMAIL_NOT_VERIFIED",
            "invalid_credentials", "AUTHENTICATION_FAILED", "CONSENT_REQUIRED",
        ])
    func denials(code: String) {
        #expect(ExitStatus(of: Failure(failureCode: code)) == .refused)
    }

    @Test("A sign-in that takes too long is 5, in the browser and on another device")
    func timeouts() {
        #expect(ExitStatus(of: LoopbackBrowserError.timedOut(seconds: 1, strays: 0)) == .unavailable)
        #expect(ExitStatus(of: DeviceSignInTimeoutError(seconds: 1)) == .unavailable)
        // The server says so about a device's code, and the library where nobody has asked it.
        #expect(ExitStatus(of: Failure(failureCode: "expired_token")) == .unavailable)
    }

    @Test("Sessions that are over are 3, what may pass is 5, and what will not is 1")
    func others() {
        #expect(ExitStatus(of: Failure(failureCode: "SESSION_EXPIRED")) == .notSignedIn)
        let foreign = SessionError.belongsElsewhere(AccountID(account: "a", realm: "r"), reason: "It is kept.")
        #expect(ExitStatus(of: foreign) == .notSignedIn)
        #expect(ExitStatus(of: Failure(failureCode: "server_error", failureClass: .transient)) == .unavailable)
        // A server that fails says such words too.
        #expect(ExitStatus(of: Failure(failureCode: "invalid_grant", failureClass: .transient)) == .unavailable)
        #expect(ExitStatus(of: TransportError.untrustedCertificate(host: "h", .unknownAuthority)) == .failure)
        #expect(ExitStatus(of: ChainError(attempts: [], underlying: Failure(failureCode: "access_denied"))) == .refused)
    }

    @Test("An address that is not verified ends a script with 4 and the reason")
    func unverified() async throws {
        try await withTool { fixture in
            let server = try await LocalInsForgeServer.start(
                configuration: LocalInsForgeServer.Configuration {
                    $0.requireEmailVerification = true
                    $0.user.emailVerified = false
                })
            try fixture.configure(
                ProviderConfiguration(
                    name: "home", type: "insforge",
                    settings: [
                        "baseURL": .string(server.url.absoluteString), "allowsLoopbackHTTP": true,
                        "anonKey": .string(server.anonKey),
                    ]))
            let result = try await fixture.run(
                "login", "--username", server.user.email, "--password-stdin", input: server.user.password + "\n")
            expectOneLine(result, status: 4, of: "login")
            #expect(result.errors.contains("not verified"), "\(result.errors)")
            await server.stop()
        }
    }

    @Test("A code that is denied on the other device ends with 4")
    func deniedOnDevice() async throws {
        try await withTool { fixture in
            let result = try await fixture.signInOnDevice(allows: false)
            #expect(result.status == 4, "\(result.errors)")
        }
    }
}
