extension IdentityProviderChain {
    /// Looks up an account silently, first at the provider of the chosen account. If no account is chosen, or the
    /// chosen account is no longer signed in, tries the providers in order, and the account that is found becomes the
    /// choice. When another task or process changes the choice meanwhile, the lookup starts again.
    /// - Throws: ``ChainError`` or the error of a client's only provider, ``TokenStoreError``, or `CancellationError`.
    func findSilently(_ silent: Inquiry) async throws -> ChainResult {
        if let account = silent.account, let walk = try await walkToAccount(account, silent) { return walk }
        guard let selection = selection?.forOneLookUp() else { return try await resolver.walkSilently(silent) }
        while true {
            try Task.checkCancellation()
            let snapshot = try await selection.read()
            if var walk = try await decide(on: snapshot, of: selection, silent) {
                walk.choices = selection.generations
                return walk
            }
        }
    }

    /// Looks up an account that an outer chain has chosen.
    /// - Returns: `nil` when no provider of this chain has its realm, or the override excludes that provider.
    private func walkToAccount(_ account: AccountID, _ silent: Inquiry) async throws -> ChainResult? {
        guard let link = try? route(to: account).link else { return nil }
        let attempt = await resolver.ask(link, silent)
        var walk = try concluding(attempt)
        // Report the reason of this account, not those of all providers.
        if case .absent(let reason) = attempt.outcome { walk.absence = reason }
        return walk
    }

    /// Asks the provider of the stored choice, and keeps or replaces the choice accordingly.
    /// - Returns: `nil` when another task or process changed the choice meanwhile, so that the lookup starts again.
    private func decide(
        on snapshot: ChosenAccount.Snapshot, of selection: ChosenAccount, _ silent: Inquiry
    ) async throws -> ChainResult? {
        guard let choice = snapshot.choice else {
            return try await walkAndChoose(
                from: nil, because: .found, snapshot.generation, selection, silent)
        }
        guard let link = links.first(where: { $0.realms.containsBytes(of: choice.account.realm) }) else {
            return try await rewalk(from: choice, [], because: .providerRemoved, snapshot, selection, silent)
        }
        guard resolver.includes(link.name) else {
            // Only this process excludes the provider, so leave the choice to the processes that share it.
            return try await resolver.walkSilently(silent)
        }
        let inquiry = silent.about(choice)
        let attempt = await resolver.settled(resolver.ask(link, inquiry), of: link, inquiry)
        let walk = try concluding(attempt)
        switch attempt.outcome {
        case .absent(let reason):
            if let loss = reason.ofActive(choice.account) {
                return try await fallBack(from: choice, because: loss, [attempt], snapshot, selection, silent)
            }
            return try await rewalk(
                from: choice, [attempt], because: .noLongerSignedIn(reason), snapshot, selection, silent)
        case .account(choice.account) where attempt.isReplaceable:
            guard let suspension = attempt.suspension else { return walk }
            let fallback = SessionFallback(from: choice.account, suspension)
            return try await fallBack(as: fallback, from: choice, [attempt], snapshot, selection, silent)
        case .account(let account) where account != choice.account && !silent.isFollowing:
            let found = CurrentAccount(account, of: link.name, fallback: attempt.fallback)
            switch try await selection.offer(found, replacing: snapshot.generation) {
            case .overtaken: return nil
            case .chosen: reportChange(from: choice, to: found, .replacedByProvider)
            case .unstored: break
            }
            return walk
        case .account, .passedOver, .failed:
            return walk
        }
    }

    /// Returns the result when the session of the chosen account has ended or belongs to another configuration. Usually
    /// the choice stays until the user decides. In a chain with ``SessionEndPolicy/fallBack``, the result is the account
    /// of another provider. This account becomes the choice only if the session has ended.
    private func fallBack(
        from choice: CurrentAccount, because loss: AbsenceReason, _ attempts: [ChainAttempt],
        _ snapshot: ChosenAccount.Snapshot, _ selection: ChosenAccount, _ silent: Inquiry
    ) async throws -> ChainResult? {
        guard onSessionEnd == .fallBack, let fallback = SessionFallback(loss) else {
            switch loss.sessionError {
            case .ended(let account, let reason)?: resolver.report(.sessionEnded(account, reason: reason))
            case .belongsElsewhere(let account, let reason)?:
                resolver.report(.belongsElsewhere(account, reason: reason))
            default: break
            }
            return ChainResult(attempts: attempts, absence: loss)
        }
        return try await fallBack(as: fallback, from: choice, attempts, snapshot, selection, silent)
    }

    private func fallBack(
        as fallback: SessionFallback, from choice: CurrentAccount, _ attempts: [ChainAttempt],
        _ snapshot: ChosenAccount.Snapshot, _ selection: ChosenAccount, _ silent: Inquiry
    ) async throws -> ChainResult? {
        // After several fallbacks in a row, report the account that the user chose as the replaced one, not the previous
        // fallback.
        let fallback = fallback.isForNow ? fallback : choice.fallback ?? fallback
        var silent = silent
        silent.fallback = fallback
        return try await replace(choice, attempts, because: .fellBack(fallback), snapshot, selection, silent)
    }

    /// Tries the providers in order, and stores the account that is found in place of the choice. If no account is found,
    /// or with an override, the choice stays.
    private func replace(
        _ choice: CurrentAccount, _ attempts: [ChainAttempt], because reason: SelectionChange.Reason,
        _ snapshot: ChosenAccount.Snapshot, _ selection: ChosenAccount, _ silent: Inquiry
    ) async throws -> ChainResult? {
        let walk = try await resolver.walkSilently(after: attempts, silent)
        guard let found = walk.found, override == nil, found.account != choice.account else { return walk }
        switch try await selection.offer(found, replacing: snapshot.generation) {
        case .overtaken: return nil
        case .chosen: reportChange(from: choice, to: found, reason)
        case .unstored: break
        }
        return walk
    }

    /// Tries the providers in order, because the chosen account is no longer signed in. Usually removes the choice first.
    /// With an override, or when a change of the store caused the lookup, the stored choice stays. If the chosen account is
    /// a fallback and was not signed out, the choice stays until another account replaces it.
    private func rewalk(
        from stale: CurrentAccount, _ attempts: [ChainAttempt], because reason: SelectionChange.Reason,
        _ snapshot: ChosenAccount.Snapshot, _ selection: ChosenAccount, _ silent: Inquiry
    ) async throws -> ChainResult? {
        var silent = silent
        // A sign-out is the user's decision and ends a fallback. For any other reason, the account that is found next becomes
        // the fallback for the same ended session.
        if case .noLongerSignedIn(.signedOut) = reason {} else { silent.fallback = stale.fallback }
        guard override == nil, !silent.isFollowing else {
            return try await resolver.walkSilently(after: attempts, silent)
        }
        // Do not remove the choice before another one replaces it: only the choice names the account with the ended session.
        if silent.fallback != nil {
            return try await replace(stale, attempts, because: reason, snapshot, selection, silent)
        }
        switch try await selection.offer(nil, replacing: snapshot.generation) {
        case .overtaken: return nil
        case .chosen: break
        case .unstored: return try await resolver.walkSilently(after: attempts, silent)
        }
        do {
            return try await walkAndChoose(
                from: stale, attempts, because: reason, snapshot.generation + 1, selection, silent)
        } catch {
            reportChange(from: stale, to: nil, reason)
            throw error
        }
    }

    private func walkAndChoose(
        from stale: CurrentAccount?, _ attempts: [ChainAttempt] = [], because reason: SelectionChange.Reason,
        _ generation: UInt64, _ selection: ChosenAccount, _ silent: Inquiry
    ) async throws -> ChainResult? {
        let walk = try await resolver.walkSilently(after: attempts, silent)
        if let found = walk.found, override == nil {
            switch try await selection.offer(found, replacing: generation) {
            case .chosen: break
            case .overtaken:
                if stale != nil { reportChange(from: stale, to: nil, reason) }
                return nil
            case .unstored:
                if stale != nil { reportChange(from: stale, to: nil, reason) }
                return walk
            }
        }
        if stale != nil || (walk.found != nil && override == nil) { reportChange(from: stale, to: walk.found, reason) }
        return walk
    }

    /// Returns the result of an attempt at the account's provider, without trying other providers.
    /// - Throws: `CancellationError`, otherwise ``ChainError``, or the provider's own error if it is a client's only
    ///   provider.
    private func concluding(_ attempt: ChainAttempt) throws -> ChainResult {
        switch attempt.outcome {
        case .account, .absent:
            var walk = ChainResult(attempts: [attempt])
            walk.find(attempt)
            return walk
        case .failed(let error as CancellationError):
            throw error
        case .failed(let error), .passedOver(let error):
            throw resolver.failure(
                ChainError(attempts: [attempt], stoppedAt: attempt.provider, underlying: error))
        }
    }

    private func reportChange(
        from: CurrentAccount?, to: CurrentAccount?, _ reason: SelectionChange.Reason
    ) {
        guard from?.account != to?.account else { return }
        resolver.report(.selectionChanged(SelectionChange(from: from?.account, to: to?.account, reason: reason)))
    }
}
