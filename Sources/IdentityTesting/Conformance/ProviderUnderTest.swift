import Foundation
import IdentityKit

/// A provider without a signed-in account, and the closures with which ``ProviderConformance`` signs in and changes the
/// state of the provider's backend.
///
/// Of the closures, only ``signIn`` is required. If a rule applies but its check needs a value that is not set, the
/// rule is reported as not checked and fails.
public struct ProviderUnderTest: Sendable {
    public let provider: any IdentityProvider
    /// Signs the test's user in and returns the account.
    public let signIn: @Sendable () async throws -> AccountID
    /// The provider's transport, whose messages the check examines.
    public var wire: WatchedTransport?
    /// The clock that the provider and a local backend share.
    public var clock: ManualClock?
    /// Makes the provider again as after a restart of the program: with the same settings and the same store.
    public var restart: (@Sendable () async throws -> any IdentityProvider)?
    /// Makes a provider called `name` for the backend at `address`, with the same transport, clock and user. If `address` is
    /// `nil`, uses the test's backend.
    public var configure: (@Sendable (_ name: String, _ address: String?) async throws -> any IdentityProvider)?
    /// Lets the access token expire, usually by moving the clock.
    public var expire: (@Sendable () async throws -> Void)?
    /// Ends the session at the backend.
    public var revoke: (@Sendable () async throws -> Void)?
    /// Makes the backend unreachable.
    public var goOffline: (@Sendable () async throws -> Void)?
    /// Signs the account out. The default calls `signOut(_:)` of an `AccountProvider`, and is `nil` for any other provider.
    public var signOut: (@Sendable (AccountID) async throws -> Void)?
    /// Starts a sign-in that the user cancels, and returns its result. A provider that follows the rules throws.
    public var giveUpSignIn: (@Sendable () async throws -> AccountID?)?
    /// Returns how often something was shown to the user; see ``InteractionCounter``.
    public var interactions: (@Sendable () async -> Int)?
    /// Returns the number of refreshes that the backend has received so far.
    public var refreshes: (@Sendable () async -> Int)?
    /// A scope that the test's session lacks.
    public var missingScope: String?
    /// Abilities that the provider lacks, with the reasons, such as `[.scopes: "its backend knows none"]`. Rules about
    /// these abilities are left out.
    public var lacks: [ProviderAbility: String] = [:]
    /// Secrets that must not occur in errors and logs, in addition to the provider's tokens. A secret of fewer than four
    /// characters is ignored.
    public var secrets: [String] = []
    public var log: (@Sendable () async -> String)?
    /// Cleans up after the check of a rule, for example stops a server or removes a folder. Does nothing by default.
    public var finish: @Sendable () async -> Void = {}

    /// Makes a description with the two required values. Set the other properties afterwards.
    /// - Parameters:
    ///   - provider: the provider to check. Some rules are left out unless it is an `AccountProvider`.
    ///   - signIn: signs the test's user in, and returns the account.
    public init(_ provider: any IdentityProvider, signIn: @escaping @Sendable () async throws -> AccountID) {
        self.provider = provider
        self.signIn = signIn
        if let managed = provider as? any AccountProvider { signOut = { try await managed.signOut($0) } }
    }
}

/// Counts what is shown to the user. Wrap the provider's prompter and browser with it.
public final class InteractionCounter: Sendable {
    private let shown = Locked(0)

    public init() {}

    /// Number of prompts and pages shown.
    public var count: Int { shown.withLock { $0 } }

    /// Wraps `prompter` so that its prompts are counted.
    public func counting(_ prompter: any FlowPrompter) -> any FlowPrompter {
        CountedPrompter(base: prompter) { self.add() }
    }

    /// Wraps `browser` so that its pages are counted.
    public func counting(_ browser: any WebAuthenticator) -> any WebAuthenticator {
        CountedBrowser(base: browser) { self.add() }
    }

    private func add() { shown.withLock { $0 += 1 } }
}

private struct CountedPrompter: FlowPrompter {
    let base: any FlowPrompter
    let count: @Sendable () -> Void

    func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer {
        count()
        return try await base.answer(prompt)
    }
}

private struct CountedBrowser: WebAuthenticator {
    let base: any WebAuthenticator
    let count: @Sendable () -> Void

    func authenticate(_ request: WebAuthenticationRequest) async throws -> URL {
        count()
        return try await base.authenticate(request)
    }

    func redirectURI(for registered: URL) async throws -> URL { try await base.redirectURI(for: registered) }
}
