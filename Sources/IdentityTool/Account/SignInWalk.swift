import IdentityKit

/// The result of `identity login`.
enum SignInOutcome: Sendable {
    case signedIn(AccountID)
    /// The account signed in, but another account stays active.
    case signedInBeside(AccountID)
    case already(AccountID)
    /// The account needs no sign-in, because its provider never shows one, such as for a workload or a guest.
    case needsNobody(AccountID)

    var account: AccountID {
        switch self {
        case .signedIn(let account), .signedInBeside(let account), .already(let account), .needsNobody(let account):
            account
        }
    }

    /// Whether a sign-in, or an authorization of more scopes, has just taken place.
    var isNew: Bool {
        switch self {
        case .signedIn, .signedInBeside: true
        case .already, .needsNobody: false
        }
    }

    /// Returns the message about the result, for standard error.
    func text(_ profile: AccountProfile?) -> String {
        let name = profile?.inWords
        return switch self {
        case .signedIn(let account): "Signed in with \(account.realm)\(name.map { " as \($0)" } ?? "")."
        case .signedInBeside(let account):
            "Signed in with \(account.realm)\(name.map { " as \($0)" } ?? ""). The active account stays as it is. To act as "
                + "this one: identity switch \(account.realm.quotedForShell)"
        case .already(let account): "Already signed in as \(name ?? account.id); --again shows the page."
        case .needsNobody(let account): "\(account.realm) needs no sign-in. It is in use as \(account.account)."
        }
    }
}

/// Asks the providers for a sign-in, one after another, and prints which provider is asked.
struct SignInWalk: Sendable {
    let session: ToolSession
    let request: SignInRequest

    private var client: IdentityClient { session.client }

    /// Signs in if the request asks for a new sign-in, if no account is active, or if the active account needs a sign-in.
    /// - Throws: ``SignInArgumentError``, ``SignInNotPossibleError``, `NothingConfiguredError`, ``DeviceSignInTimeoutError``,
    ///   or what the client throws.
    func outcome() async throws -> SignInOutcome {
        if let provider = request.provider {
            if let link = client.links.first(where: { $0.name == provider }) {
                if let objection = request.objection(to: link) {
                    throw SignInArgumentError(reasons: [PassedOver(provider: provider, reason: objection)])
                }
                guard let outcome = try await ask(link) else { throw cannotShow([link], [passedOver(link)]) }
                return outcome
            }
            // For an unknown name, the client throws an error that lists the configured providers.
            return .signedIn(try await client.signIn(with: provider, scopes: request.scopes))
        }
        if request.isNew, !request.isAgain { return try await walk(replacing: nil) }
        do {
            return try await replaceOrKeep(try await client.lookUp(scopes: request.scopes))
        } catch let error as ChainError where error.isAboutDamagedRecord {
            // The error's advice is to sign in again: a new session replaces the damaged one.
            guard let link = client.links.first(where: { $0.name == error.stoppedAt }) else { throw error }
            guard let outcome = try await ask(link) else { throw cannotShow([link], [passedOver(link)]) }
            return outcome
        } catch let error as TokenStoreError where error.isAboutContent {
            // A sign-in also replaces a damaged record that names the active account.
            return try await walk(replacing: nil)
        } catch let error as ChainError where error.underlying == nil {
            // Throw an error with the reason of each provider, because the client's error only advises to sign in.
            throw SignInNotPossibleError(reasons: AbsenceReason.chain(error.attempts).description)
        } catch let error as ChainError where error.stoppedAt == nil {
            // No provider has an account, except perhaps those that failed and were skipped. Such a failure does not prevent a
            // sign-in with another provider.
            guard client.signInCandidates(replacing: nil).contains(where: \.mayShowSignIn) else { throw error }
            return try await walk(replacing: nil)
        }
    }

    private func replaceOrKeep(_ lookup: AccountLookup) async throws -> SignInOutcome {
        switch lookup {
        case .fallback(_, let fallback): return try await walk(replacing: fallback.from)
        case .suspended(let account, let suspension):
            return try await walk(replacing: account, because: SessionError.suspended(account, suspension))
        case .absent(let reason):
            let error = reason.sessionError
            return try await walk(replacing: error?.account, because: error)
        case .found(let account) where client.isNoPerson(account):
            if client.signInCandidates(replacing: nil).contains(where: \.mayShowSignIn) {
                return try await walk(replacing: nil)
            }
            _ = try await client.accessToken(as: account)
            return .needsNobody(account)
        case .found(let account) where request.isAgain: return try await walk(replacing: account)
        case .found(let account): return try await keep(account)
        }
    }

    /// Keeps the signed-in account if its session can be used and has the requested scopes. Signs in again if the server
    /// refuses the session, and requests an authorization if a scope is missing.
    private func keep(_ account: AccountID) async throws -> SignInOutcome {
        // A provider with only the three methods of `IdentityProvider` may show its own sign-in here.
        let active = try await client.signIn(scopes: request.scopes)
        guard active == account else { return .signedIn(active) }
        do {
            _ = try await client.accessToken(as: account)
        } catch let error as SessionError where error.meansRefusal {
            return try await walk(replacing: account, because: error)
        } catch let error as CancellationError {
            throw error
        } catch {
            // Any other error, such as an unreachable server, does not show that the session is unusable.
        }
        guard !request.scopes.isEmpty else { return .already(account) }
        do {
            _ = try await client.accessToken(as: account, scopes: request.scopes)
            return .already(account)
        } catch let error as SessionError {
            switch error {
            case .insufficientScope, .stepUpNeeded:
                _ = try await client.requestAuthorization(scopes: request.scopes)
                return .signedIn(account)
            default: throw error
            }
        }
    }

    /// Asks the providers in order until a provider has an account, usually after it has shown a sign-in.
    /// - Parameters:
    ///   - account: the account whose session the sign-in replaces, and whose provider is asked first; `nil` for none.
    ///   - reason: the error that is printed before the sign-in; `nil` for none.
    private func walk(
        replacing account: AccountID?, because reason: SessionError? = nil
    ) async throws -> SignInOutcome {
        if let reason { session.note(await session.named(reason.messageWithIdentifier.withoutSignInRequest)) }
        var (passed, unfit) = ([PassedOver](), 0)
        let candidates = client.signInCandidates(replacing: account).filter { account == nil || $0.mayShowSignIn }
        for link in candidates {
            if let objection = request.objection(to: link) {
                passed.append(PassedOver(provider: link.name, reason: objection))
                unfit += 1
                continue
            }
            report(link, passed)
            do {
                if let outcome = try await ask(link) { return outcome }
                passed.append(passedOver(link))
            } catch let error
                where link.fallsBackWhenUnavailable && error.meansUnavailableBackend
                && !(error is DeviceSignInTimeoutError)
            {
                let reason = (error as? ChainError)?.underlying ?? error
                passed.append(PassedOver(provider: link.name, reason: reason.identityMessage))
            }
        }
        if unfit > 0, unfit == candidates.count { throw SignInArgumentError(reasons: passed) }
        throw cannotShow(candidates, passed)
    }

    /// Prints which provider is asked and which were passed over. Prints nothing if the client has only one provider.
    private func report(_ link: SignInRequest.Link, _ passed: [PassedOver]) {
        guard client.links.count > 1 else { return }
        var passed = passed
        for other in client.links.prefix(while: { $0.name != link.name })
        where !other.mayShowSignIn && !passed.contains(where: { $0.provider == other.name }) {
            passed.append(PassedOver(provider: other.name, reason: SignInRequest.needsNobody))
        }
        session.note(
            "Signing in with \(link.name)" + (passed.isEmpty ? "." : " (passed over: \(passed.inWords))."))
    }

    /// - Returns: `nil` if the provider cannot show a sign-in here.
    private func ask(_ link: SignInRequest.Link) async throws -> SignInOutcome? {
        let (client, request) = (client, request)
        let isActive = Locked(true)
        let signIn = { @Sendable in
            // A provider that never shows a sign-in may have no token. Keep the active account until the token has been
            // requested below.
            if request.keepsActive || !link.mayShowSignIn {
                let result = try await client.signInBeside(
                    with: link.name, scopes: request.scopes, options: request.options)
                isActive.withLock { $0 = result.isActive }
                return result.account
            }
            return try await client.signIn(with: link.name, scopes: request.scopes, options: request.options)
        }
        func signedIn(_ account: AccountID) -> SignInOutcome {
            isActive.withLock { $0 } ? .signedIn(account) : .signedInBeside(account)
        }
        do {
            guard link.provider.signInForm == .otherDevice else {
                let account = try await signIn()
                guard link.mayShowSignIn else {
                    // No sign-in was shown, so only a token proves that the account works. A guest has an account and no token.
                    do { _ = try await client.accessToken(as: account) } catch FixedTokenError.missing {}
                    if !request.keepsActive, !isActive.withLock({ $0 }) { try await client.select(account) }
                    return .needsNobody(account)
                }
                return signedIn(account)
            }
            let seconds = request.deviceTimeout
            return signedIn(
                try await Deadline.run(
                    .seconds(seconds), on: session.call.context.clock,
                    orThrow: DeviceSignInTimeoutError(seconds: seconds), signIn))
        } catch ClientError.notSignedIn {
            return nil
        }
    }

    private func passedOver(_ link: SignInRequest.Link) -> PassedOver {
        PassedOver(provider: link.name, reason: link.provider.missingConfiguration ?? "it cannot show a sign-in here")
    }

    /// Returns the error when none of `links` can show a sign-in: `NothingConfiguredError` if every provider lacks a setting,
    /// otherwise ``SignInNotPossibleError``.
    private func cannotShow(_ links: [SignInRequest.Link], _ passed: [PassedOver]) -> any IdentityFailure {
        !links.isEmpty && links.allSatisfy { $0.provider.missingConfiguration != nil }
            ? NothingConfiguredError(gaps: passed.inWords) : SignInNotPossibleError(reasons: passed.inWords)
    }
}

extension SessionError {
    /// Whether a new sign-in may help: the server refuses the refresh or the client, or the error asks for a sign-in.
    fileprivate var meansRefusal: Bool {
        switch self {
        case .refreshRefused, .clientRefused: true
        default: asksForSignIn
        }
    }
}

extension ChainError {
    /// Whether a provider failed because a stored record is damaged, or encrypted with another key.
    var isAboutDamagedRecord: Bool {
        (underlying as? TokenStoreError)?.isAboutContent == true
    }
}
