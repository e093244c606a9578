import IdentityKit

extension ProviderCheck {
    func rotationIsFollowed() async throws {
        let expire = try means(subject.expire, "expire", .refresh)
        let wire = try wire()
        let account = try await subject.signIn()
        _ = try await token(account)
        for round in 1...3 {
            try await expire()
            let before = try await refreshes()
            do {
                _ = try await token(account)
            } catch {
                throw BrokenRuleError(detail: "refresh \(round) of a session fails: \(error.identityMessage)")
            }
            let count = try await refreshes() - before
            try expect(count == 1, "one expired token causes \(count) refreshes")
        }
        let isOld = wire?.messages.sendReplacedRefreshTokens ?? false
        try expect(!isOld, "a refresh token is sent that the backend has replaced")
    }

    func clockIsTheGivenOne() async throws {
        let clock = try means(subject.clock, "clock", .refresh)
        let expire = try means(subject.expire, "expire", .refresh)
        // Set the given clock two days ahead of the system's clock. By the system's clock, tokens that the backend issues
        // from now on are not valid yet.
        clock.advance(by: .seconds(2 * 86_400))
        let account = try await subject.signIn()
        let before = try await refreshes()
        _ = try await token(account)
        try expect(try await refreshes() == before, "by the given clock, a new token is refreshed at once")
        try await expire()
        _ = try await token(account)
        try expect(try await refreshes() > before, "a token that has expired by the given clock is not refreshed")
    }
}
