import IdentityKit

extension ProviderCheck {
    func validTokenIsKept() async throws {
        let account = try await subject.signIn()
        let before = try await refreshes()
        let (first, second) = (try await token(account), try await token(account))
        try expect(first == second, "two calls in a row give two tokens")
        let tokens = try await together(16) { try await token(account) } + elsewhere(account)
        try expect(Set(tokens) == [first], "callers on different threads get different tokens")
        try expect(try await refreshes() == before, "a valid token is refreshed")
    }

    func tokensFitAHeader() async throws {
        let expire = try expiry()
        let account = try await subject.signIn()
        try expectToFit(try await token(account))
        guard let expire else { return }
        try await expire()
        try expectToFit(try await token(account))
    }

    private func expectToFit(_ token: String) throws {
        try expect(!token.isEmpty, "a token is empty")
        try expect(token.isVisibleText, "a token has a line break, or another character that no header carries")
    }

    func expiredTokenIsRefreshed() async throws {
        let expire = try means(subject.expire, "expire", .refresh)
        let account = try await subject.signIn()
        let first = try await token(account)
        try await expire()
        let tokens = try await together(8) { try await token(account) }
        try expect(!tokens.contains(first), "the expired token is handed out")
        try await expectSilently({ $0 == account }) { "after the refresh \($0?.id ?? "no account") is signed in" }
    }

    func refreshesOnce() async throws {
        let expire = try means(subject.expire, "expire", .refresh)
        let account = try await subject.signIn()
        let expired = try await token(account)
        try await expire()
        let before = try await refreshes()
        // Exclude the expired token, because the rule `expiredTokenIsRefreshed` covers a provider that returns it.
        let tokens = Set(try await together(50) { try await token(account) }).subtracting([expired])
        try expect(tokens.count <= 1, "fifty callers get \(tokens.count) new tokens")
        let count = try await refreshes() - before
        try expect(count <= 1, "fifty callers cause \(count) refreshes")
    }

    func refusedTokenIsReplaced() async throws {
        let account = try await subject.signIn()
        let refused = try await token(account)
        guard subject.lacks[.refresh] == nil else {
            _ = try await failure("the replacement of a token that cannot be replaced") {
                _ = try await token(account, replacing: refused)
            }
            return
        }
        let first = try await token(account, replacing: refused)
        try expect(first != refused, "the refused token is handed out again")
        let count = try await refreshes()
        let second = try await token(account, replacing: refused)
        try expect(second == first, "a later report of the same token gets a third one")
        try expect(try await refreshes() == count, "a token that was replaced already is replaced again")
    }

    func strangersAreRefused() async throws {
        if let stranger = try? stranger() {
            _ = try await failure("accessToken for \(stranger) before a sign-in") { _ = try await token(stranger) }
        }
        let stranger = try stranger(besides: await subject.signIn())
        _ = try await failure("accessToken for \(stranger)") { _ = try await token(stranger) }
        guard (try? managed) != nil else { return }
        let found = try await silentAccount(stranger)
        try expect(found != stranger, "silentAccount(_:) finds \(stranger)")
    }

    func missingScopeIsRefused() async throws {
        let scope = try means(subject.missingScope, "missingScope", .scopes)
        let account = try await subject.signIn()
        let error = try await failure("accessToken with the scope \(scope)") {
            _ = try await token(account, scopes: [scope])
        }
        try expect(error.identityFailureClass != .transient, "the error says that it will work later")
        _ = try await token(account)
    }

    func anyThread() async throws {
        let account = try await subject.signIn()
        let provider = subject.provider
        _ = try await together(64) {
            let active = try await provider.activeAccount(scopes: [], deviceToken: Self.device)
            try self.expect(active == account, "activeAccount returns \(active?.id ?? "no account") among many callers")
            return try await token(account)
        }
        _ = try await elsewhere(account)
    }

    /// Returns the token that a task on the main actor gets, and the token that a detached task gets.
    private func elsewhere(_ account: AccountID) async throws -> [String] {
        let provider = subject.provider
        return [
            try await Task { @MainActor in try await provider.accessToken(for: account, scopes: []) }.value,
            try await Task.detached(priority: .background) {
                try await provider.accessToken(for: account, scopes: [])
            }.value,
        ]
    }

    func cancelledCallerLeavesAlone() async throws {
        let expire = try expiry()
        let account = try await subject.signIn()
        _ = try await token(account)
        // Cancel each caller once. A provider may wrongly do the shared work in the task of one caller, so that the
        // others fail when that task is cancelled.
        for place in 0..<4 {
            try await expire?()
            var callers: [Task<String, any Error>] = []
            for _ in 0..<4 {
                callers.append(Task { try await token(account) })
                await Task.yield()
            }
            callers[place].cancel()
            for (index, caller) in callers.enumerated() {
                switch await caller.result {
                case .success: continue
                case .failure(let error) where index == place:
                    try expect(error is CancellationError, "the cancelled caller gets \(error.identityMessage)")
                case .failure(let error):
                    throw BrokenRuleError(detail: "another caller fails too: \(error.identityMessage)")
                }
            }
            _ = try await token(account)
        }
    }

    private func together<Value: Sendable>(
        _ count: Int, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { group in
            for _ in 0..<count { group.addTask { try await body() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
