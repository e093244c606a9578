import Foundation
import IdentityKit

/// A provider whose answers a test writes down.
final class ScriptedProvider: SessionProvider {
    enum Answer: Sendable {
        case account(String)
        /// An account that needs its person.
        case suspended(String)
        case absent(AbsenceReason)
        case failure(any Error)
        /// No answer until the task is cancelled.
        case hang
    }

    let name: String
    private let answers: Locked<(silent: Answer, interactive: Answer)>
    private let asked = Locked<[String]>([])
    private let hanging = Locked(0)
    /// What becomes of a call for a token.
    let tokenError = Locked<(any Error)?>(nil)
    /// Whether a call for a token gets no answer until the task is cancelled.
    let hangsForToken = Locked(false)
    /// Holds back the answers to looks and sign-ins; `nil` for none.
    let gate = Locked<Gate?>(nil)
    static let suspension = Suspension("k", because: "No.", retries: .never, at: .distantPast)

    init(_ name: String, silent: Answer = .absent(.neverSignedIn), interactive: Answer = .absent(.cannotShowSignIn)) {
        self.name = name
        answers = Locked((silent, interactive))
    }

    /// Changes what a silent look finds.
    func setSilent(_ answer: Answer) { answers.withLock { $0.silent = answer } }

    /// Changes what a sign-in comes to.
    func setInteractive(_ answer: Answer) { answers.withLock { $0.interactive = answer } }

    /// Whether somebody waits for an answer that does not come.
    var isHanging: Bool { hanging.withLock { $0 } > 0 }

    /// How often `call` was made.
    func count(of call: String) -> Int { calls.count { $0 == call } }

    /// What was called, in order.
    var calls: [String] { asked.withLock { $0 } }

    var realms: Set<String> { [name] }

    func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        note("silent")
        let answer = answers.withLock { $0.silent }
        await gate.withLock { $0 }?.pass()
        switch answer {
        case .account(let account): return .found(AccountID(account: account, realm: name))
        case .suspended(let account): return .suspended(AccountID(account: account, realm: name), Self.suspension)
        case .absent(let reason): return .absent(reason)
        case .failure(let error): throw error
        case .hang:
            try await hang()
            return .absent(.neverSignedIn)
        }
    }

    func signIn(in context: CallerContext) async throws -> AccountID? {
        note("signIn")
        let answer = answers.withLock { $0.interactive }
        await gate.withLock { $0 }?.pass()
        switch answer {
        case .account(let account): return AccountID(account: account, realm: name)
        case .absent, .suspended: return nil
        case .failure(let error): throw error
        case .hang:
            try await hang()
            return nil
        }
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        note("requestAuthorization")
        return Data(name.utf8)
    }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        note("accessToken")
        if hangsForToken.withLock({ $0 }) { try await hang() }
        if let error = tokenError.withLock({ $0 }) { throw error }
        return "token of \(accountID)"
    }

    func accessToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, freshness: TokenFreshness
    ) async throws -> String {
        note("replace")
        return "newer token of \(accountID)"
    }

    func signOut(_ accountID: AccountID) async throws {
        note("signOut")
    }

    private func hang() async throws {
        hanging.withLock { $0 += 1 }
        defer { hanging.withLock { $0 -= 1 } }
        try await Task.sleep(for: .seconds(3600))
    }

    private func note(_ call: String) {
        asked.withLock { $0.append(call) }
    }
}

/// A provider with the three methods of the protocol and nothing else.
struct PlainProvider: IdentityProvider {
    let account: AccountID?

    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? { account }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        guard accountID == account else { throw SessionError.notSignedIn(accountID) }
        return "plain token"
    }
}

/// A provider with the three methods of the protocol that never shows anything to a person, and whose answers a test
/// writes down.
final class QuietProvider: IdentityProvider {
    let mayShowSignIn = false
    private let name: String
    private let answer: Locked<ScriptedProvider.Answer>
    private let asked = Locked(0)

    init(_ name: String, _ answer: ScriptedProvider.Answer = .account("ada")) {
        self.name = name
        self.answer = Locked(answer)
    }

    /// Changes what it answers.
    func set(_ answer: ScriptedProvider.Answer) { self.answer.withLock { $0 = answer } }

    /// How often it was asked.
    var count: Int { asked.withLock { $0 } }

    private var account: AccountID? {
        guard case .account(let account) = answer.withLock({ $0 }) else { return nil }
        return AccountID(account: account, realm: name)
    }

    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        asked.withLock { $0 += 1 }
        switch answer.withLock({ $0 }) {
        case .account, .suspended, .absent: return account
        case .failure(let error): throw error
        case .hang:
            try await Task.sleep(for: .seconds(3600))
            return nil
        }
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        guard accountID == account else { throw SessionError.notSignedIn(accountID) }
        return "token of \(accountID)"
    }
}

/// An error with a text of its own.
struct TestError: IdentityFailure, Equatable {
    var failureCode = "test_failure"
    var failureClass = FailureClass.definitive
    var message = "It was meant to fail."
}
