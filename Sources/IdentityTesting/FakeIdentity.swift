import Foundation
import IdentityKit

/// A provider whose answers a test sets, for tests of SDKs and apps. Needs no server and shows nothing.
///
/// ```swift
/// let identity = FakeIdentity(.expired("ada"))
/// await #expect(throws: SessionError.self) { try await identity.token(scopes: ["mail"]) }
///
/// identity.answer = .signedIn(as: "ada", token: "a token")
/// #expect(try await identity.token(scopes: ["mail"]) == "a token")
/// ```
public final class FakeIdentity: AccountProvider {
    /// The answer of the provider to every call.
    public enum Answer: Sendable {
        /// An account is signed in with this access token, which is accepted for any scopes.
        case signedIn(as: String, token: Secret = "a token")
        case signedOut
        /// The session has ended: calls throw ``/IdentityCore/SessionError/ended(_:reason:)``.
        case expired(String)
        /// The session is suspended: there is an account, but calls for its token throw
        /// ``/IdentityCore/SessionError/suspended(_:_:)``.
        case suspended(String)
        /// Every call throws this error.
        case failing(any Error)
    }

    private let realm: String
    private let delay: Duration
    private let time: TimeSource
    private let current: Locked<Answer>

    /// Makes a provider of one account.
    /// - Parameters:
    ///   - answer: who is signed in.
    ///   - realm: the realm of the account.
    ///   - delay: how long each call takes, by the clock `time`.
    ///   - time: the clock, such as that of a ``ManualClock``.
    public init(
        _ answer: Answer, realm: String = "fake", takes delay: Duration = .zero, time: TimeSource = .system
    ) {
        (self.realm, self.delay, self.time) = (realm, delay, time)
        current = Locked(answer)
    }

    /// The answer to all calls from now on.
    public var answer: Answer {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    public var mayShowSignIn: Bool { false }

    public var realms: Set<String> { [realm] }

    /// The account that the answer names.
    /// - Throws: the error of ``Answer/failing(_:)``.
    public func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        switch try await answerInTime() {
        case .signedIn(let name, _): .found(account(name))
        case .signedOut: .absent(.signedOut)
        case .expired(let name): .absent(.activeSessionEnded(account(name), reason: Self.end))
        case .suspended(let name): .suspended(account(name), suspension)
        case .failing(let error): throw error
        }
    }

    /// The account that the answer names.
    /// - Throws: the error of ``Answer/failing(_:)``, and ``/IdentityCore/SessionError/ended(_:reason:)``.
    public func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        let lookup = try await silentAccount(in: CallerContext(scopes: scopes, deviceToken: deviceToken))
        if case .absent(.activeSessionEnded(let account, let reason)) = lookup {
            throw SessionError.ended(account, reason: reason)
        }
        return lookup.account
    }

    /// Returns the account of the answer; `nil` when nobody is signed in, because there is no sign-in to show.
    /// - Throws: as ``silentAccount(in:)``.
    public func signIn(in context: CallerContext) async throws -> AccountID? {
        guard case .found(let account) = try await silentAccount(in: context) else { return nil }
        return account
    }

    /// Checks that there is a token, which is all that is needed.
    /// - Throws: as ``accessToken(for:scopes:)``.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await accessToken(for: accountID, scopes: scopes)
        return nil
    }

    /// The token of the answer.
    /// - Throws: the error of ``Answer/failing(_:)``, otherwise ``/IdentityCore/SessionError``.
    public func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        switch try await answerInTime() {
        case .signedIn(let name, let token) where account(name) == accountID: return token.reveal()
        case .expired(let name) where account(name) == accountID:
            throw SessionError.ended(accountID, reason: Self.end)
        case .suspended(let name) where account(name) == accountID:
            throw SessionError.suspended(accountID, suspension)
        case .failing(let error): throw error
        case .signedIn, .signedOut, .expired, .suspended: throw SessionError.notSignedIn(accountID)
        }
    }

    /// The token of the answer, unless it is the refused one.
    /// - Throws: as ``accessToken(for:scopes:)``, and ``/IdentityCore/SessionError/cannotRefresh(_:)``.
    public func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String {
        let token = try await accessToken(for: accountID, scopes: scopes)
        guard token != rejectedToken else { throw SessionError.cannotRefresh(accountID) }
        return token
    }

    /// Signs the account out.
    /// - Throws: the error of ``Answer/failing(_:)``.
    public func signOut(_ accountID: AccountID) async throws {
        switch try await answerInTime() {
        case .signedIn(let name, _), .expired(let name), .suspended(let name):
            if account(name) == accountID { answer = .signedOut }
        case .signedOut: break
        case .failing(let error): throw error
        }
    }

    private static let end: SessionEndReason = "The session has expired."

    private var suspension: Suspension {
        Suspension("fake", because: "The server asks for the person.", retries: .never, at: time.now)
    }

    private func account(_ name: String) -> AccountID { AccountID(account: name, realm: realm) }

    private func answerInTime() async throws -> Answer {
        if delay > .zero { try await time.sleep(for: delay) }
        return answer
    }
}
