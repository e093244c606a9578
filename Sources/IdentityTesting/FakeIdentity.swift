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
        /// An account is signed in with this access token, which is returned for any scopes.
        case signedIn(as: String, token: Secret = "a token")
        case signedOut
        /// The session has ended: ``activeAccount(scopes:deviceToken:)`` and calls for its token throw
        /// ``/IdentityCore/SessionError/ended(_:reason:)``.
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
    ///   - answer: the answer to every call, until ``answer`` is set.
    ///   - realm: the realm of the account: the part of its identifier that names the provider.
    ///   - delay: how long each call takes, by the clock `time`.
    ///   - time: the clock, such as that of a ``ManualClock``.
    public init(
        _ answer: Answer, realm: String = "fake", takes delay: Duration = .zero, time: TimeSource = .system
    ) {
        (self.realm, self.delay, self.time) = (realm, delay, time)
        current = Locked(answer)
    }

    /// The answer to every call. A call that is delayed reads it after the delay.
    public var answer: Answer {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    public var mayShowSignIn: Bool { false }

    public var realms: Set<String> { [realm] }

    /// Returns the answer as a lookup: an account that is signed in or suspended, or the reason why there is none.
    /// - Throws: the error of ``Answer/failing(_:)``, or that of the clock when the task is cancelled during the delay.
    public func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        switch try await answerInTime() {
        case .signedIn(let name, _): .found(account(name))
        case .signedOut: .absent(.signedOut)
        case .expired(let name): .absent(.activeSessionEnded(account(name), reason: Self.end))
        case .suspended(let name): .suspended(account(name), suspension)
        case .failing(let error): throw error
        }
    }

    /// Returns the account of the answer, also a suspended one; `nil` when nobody is signed in.
    /// - Throws: ``/IdentityCore/SessionError/ended(_:reason:)`` for ``Answer/expired(_:)``, otherwise as
    ///   ``silentAccount(in:)``.
    public func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        let lookup = try await silentAccount(in: CallerContext(scopes: scopes, deviceToken: deviceToken))
        if case .absent(.activeSessionEnded(let account, let reason)) = lookup {
            throw SessionError.ended(account, reason: reason)
        }
        return lookup.account
    }

    /// Returns the account of ``Answer/signedIn(as:token:)``. Returns `nil` when the answer is signed out, expired or
    /// suspended, because there is no sign-in to show.
    /// - Throws: as ``silentAccount(in:)``.
    public func signIn(in context: CallerContext) async throws -> AccountID? {
        guard case .found(let account) = try await silentAccount(in: context) else { return nil }
        return account
    }

    /// Returns `nil` for the account of ``Answer/signedIn(as:token:)``, because its token is valid for any scopes.
    /// - Throws: as ``accessToken(for:scopes:)``.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await accessToken(for: accountID, scopes: scopes)
        return nil
    }

    /// Returns the token of ``Answer/signedIn(as:token:)``, whatever the scopes.
    /// - Throws: ``/IdentityCore/SessionError/ended(_:reason:)``, ``/IdentityCore/SessionError/suspended(_:_:)`` or, for an
    ///   account that the answer does not name, ``/IdentityCore/SessionError/notSignedIn(_:)``. Otherwise as
    ///   ``silentAccount(in:)``.
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

    /// Changes the answer to ``Answer/signedOut`` if it names this account. Does nothing for any other account.
    /// - Throws: as ``silentAccount(in:)``.
    public func signOut(_ accountID: AccountID) async throws {
        switch try await answerInTime() {
        case .signedIn(let name, _), .expired(let name), .suspended(let name):
            if account(name) == accountID { answer = .signedOut }
        case .signedOut: break
        case .failing(let error): throw error
        }
    }

    private static let end = "The session has expired."

    private var suspension: Suspension {
        Suspension("fake", because: "The server asks for the person.", retries: .never, at: time.now)
    }

    private func account(_ name: String) -> AccountID { AccountID(account: name, realm: realm) }

    private func answerInTime() async throws -> Answer {
        if delay > .zero { try await time.sleep(for: delay) }
        return answer
    }
}
