extension IdentityProviderChain {
    /// One silent look, as a state machine: the chosen provider is asked first; without a choice, or when it is stale, the
    /// walk starts at the top and its winner becomes the choice, unless another process was faster, whose choice is then
    /// asked.
    /// - Throws: ``ChainError``, ``TokenStoreError``, `CancellationError`.
    func findSilently(_ key: LookupKey) async throws -> ChainWalk {
        if let account = key.account, let walk = try await walkToAccount(account, key) { return walk }
        guard let selection else {
            return try await walker.walkSilently(scopes: key.scopes, deviceToken: key.deviceToken)
        }
        while true {
            try Task.checkCancellation()
            let snapshot = try await selection.read()
            if let walk = try await decide(on: snapshot, of: selection, key) { return walk }
        }
    }

    /// An outer chain asks for the account it has chosen.
    /// - Returns: `nil` when no provider of this chain answers for it any more.
    private func walkToAccount(_ account: AccountID, _ key: LookupKey) async throws -> ChainWalk? {
        guard let link = try? route(to: account).link else { return nil }
        let attempt = await walker.ask(link, for: account, scopes: key.scopes, deviceToken: key.deviceToken)
        return try concluding(attempt)
    }

    /// - Returns: `nil` when another process changed the choice meanwhile, so that everything begins again.
    private func decide(
        on snapshot: ChainSelection.Snapshot, of selection: ChainSelection, _ key: LookupKey
    ) async throws -> ChainWalk? {
        guard let choice = snapshot.choice else {
            return try await walkAndChoose(from: nil, because: .found, snapshot.generation, selection, key)
        }
        guard let link = links.first(where: { $0.realms.contains(choice.account.realm) }) else {
            return try await rewalk(from: choice, [], because: .providerRemoved, snapshot, selection, key)
        }
        guard walker.includes(link.name) else {
            // Kept out here and now; the choice is not this process's to change.
            return try await walker.walkSilently(scopes: key.scopes, deviceToken: key.deviceToken)
        }
        let attempt = await walker.ask(
            link, for: choice.account, scopes: key.scopes, deviceToken: key.deviceToken)
        let walk = try concluding(attempt)
        switch attempt.outcome {
        case .none(let reason):
            return try await rewalk(
                from: choice, [attempt], because: .noLongerSignedIn(reason), snapshot, selection, key)
        case .account(let account) where account != choice.account:
            let found = ChainSelection.Choice(provider: link.name, account: account)
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

    /// Forgets a stale choice and walks from the top.
    private func rewalk(
        from stale: ChainSelection.Choice, _ attempts: [ChainAttempt], because reason: SelectionChange.Reason,
        _ snapshot: ChainSelection.Snapshot, _ selection: ChainSelection, _ key: LookupKey
    ) async throws -> ChainWalk? {
        guard override == nil else {
            return try await walker.walkSilently(after: attempts, scopes: key.scopes, deviceToken: key.deviceToken)
        }
        switch try await selection.offer(nil, replacing: snapshot.generation) {
        case .overtaken: return nil
        case .chosen: break
        case .unstored:
            return try await walker.walkSilently(after: attempts, scopes: key.scopes, deviceToken: key.deviceToken)
        }
        do {
            return try await walkAndChoose(
                from: stale, attempts, because: reason, snapshot.generation + 1, selection, key)
        } catch {
            reportChange(from: stale, to: nil, reason)
            throw error
        }
    }

    private func walkAndChoose(
        from stale: ChainSelection.Choice?, _ attempts: [ChainAttempt] = [], because reason: SelectionChange.Reason,
        _ generation: UInt64, _ selection: ChainSelection, _ key: LookupKey
    ) async throws -> ChainWalk? {
        let walk = try await walker.walkSilently(
            after: attempts, scopes: key.scopes, deviceToken: key.deviceToken)
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

    /// The walk that ends at the chosen provider.
    /// - Throws: ``ChainError`` when it failed.
    private func concluding(_ attempt: ChainAttempt) throws -> ChainWalk {
        switch attempt.outcome {
        case .account(let account):
            return ChainWalk(
                attempts: [attempt], found: ChainSelection.Choice(provider: attempt.provider, account: account))
        case .none:
            return ChainWalk(attempts: [attempt])
        case .failed(let error as CancellationError):
            throw error
        case .failed(let error), .passedOver(let error):
            throw walker.failure(
                ChainError(attempts: [attempt], stoppedAt: attempt.provider, underlying: error))
        }
    }

    private func reportChange(
        from: ChainSelection.Choice?, to: ChainSelection.Choice?, _ reason: SelectionChange.Reason
    ) {
        guard from?.account != to?.account else { return }
        walker.report(.selectionChanged(SelectionChange(from: from?.account, to: to?.account, reason: reason)))
    }
}
