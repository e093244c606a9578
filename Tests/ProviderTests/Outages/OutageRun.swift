#if os(Linux)
import Foundation
import IdentityKit
import IdentityTesting

/// What became of a session after an outage, as the table says it.
enum Fate: String, Sendable {
    /// There is a token again, and the person was not asked.
    case kept
    case endedByServer = "ended by the server"
    /// It is over, although the server would take its refresh token, or has not refused it.
    case lost
    /// There is neither a token nor an end.
    case stuck
    /// There was a token in the outage, so it was none.
    case undisturbed
}

/// A session whose token expires, and an outage while it is refreshed.
struct OutageRun: Sendable {
    let scene: ProviderScene
    let outage: Outage
    /// How often somebody asks for a token meanwhile.
    let calls: Int

    /// More calls than the pauses of any outage take.
    private static let patience = 12

    private enum Answer {
        case token(String)
        case ended
        case failed
    }

    /// Signs in anew, and goes through the outage.
    func fate() async throws -> Fate {
        let detour = Detour(of: scene.endpoints.refresh)
        var store = MemoryTokenStore()
        let time = outage == .stopped ? scene.clock.stoppable : scene.clock.hasty
        var provider = try scene.provider(time: time, store: store, transport: detour)
        defer { detour.dropHeld() }
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        guard let sessions = (provider as? any SessionBackedProvider)?.sessions,
            let token = try await sessions.storedCredential(of: scene.account)?.refreshToken
        else { throw SessionError.cannotRefresh(scene.account) }
        scene.clock.advance(by: scene.tokenLifetime)
        if outage == .stopped { return try await fateOfStopped(provider, at: detour) }
        var answer = Answer.failed
        if let kill = outage.kill {
            detour.hold(kill)
            for _ in 1...calls {
                if let given = await askDying(provider, at: detour) { answer = given }
                if case .failed = answer {} else { break }
                store = try await Self.copy(of: store)
                provider = try scene.provider(time: scene.clock.hasty, store: store, transport: detour)
            }
            detour.hold(nil)
            return try await fate(of: provider, token, after: answer)
        }
        try await outage.last(in: scene, at: detour, atMost: 2 * calls) {
            for _ in 1...calls {
                answer = await ask(provider)
                if case .token = answer { return }
            }
        }
        return try await fate(of: provider, token, after: answer)
    }

    /// What becomes of the session when the outage is over.
    /// - Parameters:
    ///   - token: the refresh token of the sign-in.
    ///   - last: the last answer in the outage.
    private func fate(of provider: any SessionProvider, _ token: Secret, after last: Answer) async throws -> Fate {
        var answer = last
        if case .token = answer { return .undisturbed }
        for _ in 1...Self.patience {
            switch answer {
            case .token(let text): return try await scene.status(text) == 200 ? .kept : .stuck
            case .ended: return isRefused(token) ? .endedByServer : .lost
            case .failed: answer = await ask(provider)
            }
        }
        return .stuck
    }

    /// Asks for tokens in a process that is stopped when its response is there, for longer than its deadline.
    private func fateOfStopped(_ provider: any SessionProvider, at detour: Detour) async throws -> Fate {
        detour.hold(.response)
        return try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 1...calls { group.addTask { await ask(provider) } }
            while detour.heldCount == 0 { await Task.yield() }
            detour.hold(nil)
            scene.clock.advance(by: .seconds(40))
            detour.releaseHeld()
            for try await answer in group {
                guard case .token(let text) = answer, try await scene.status(text) == 200 else { return .lost }
            }
            return .kept
        }
    }

    /// Asks for a token in a process that dies as soon as its request is kept; the answer when it is not.
    private func askDying(_ provider: any SessionProvider, at detour: Detour) async -> Answer? {
        let known = detour.heldCount
        let result = Locked<Result<String, any Error>?>(nil)
        Task {
            let given = await self.result(of: provider)
            result.withLock { $0 = given }
        }
        while true {
            if detour.heldCount > known { return nil }
            if let result = result.withLock({ $0 }) { return heed(result) }
            await Task.yield()
        }
    }

    /// What a process leaves when it dies: the records of its store, and no lease.
    private static func copy(of store: MemoryTokenStore) async throws -> MemoryTokenStore {
        let copy = MemoryTokenStore()
        for collection in StoreKey.Collection.sealed + [StoreKey.Collection.currentAccounts] {
            for record in try await store.records(in: collection).records {
                for generation in 0..<record.generation {
                    try await copy.write(record.content, for: record.key, replacing: generation)
                }
            }
        }
        return copy
    }

    /// Whether the server would not take the token, and has said so in its last response.
    private func isRefused(_ token: Secret) -> Bool {
        let word = scene.http.log.last { $0.path == scene.endpoints.refresh }?.status ?? 0
        return !scene.takes(token) && (400..<500).contains(word)
    }

    /// Asks for a token. Whoever is told when the next attempt is waits until then.
    private func ask(_ provider: any SessionProvider) async -> Answer { heed(await result(of: provider)) }

    private func result(of provider: any SessionProvider) async -> Result<String, any Error> {
        do {
            return .success(try await provider.accessToken(for: scene.account, scopes: []))
        } catch {
            return .failure(error)
        }
    }

    private func heed(_ result: Result<String, any Error>) -> Answer {
        switch result {
        case .success(let token): return .token(token)
        case .failure(SessionError.ended): return .ended
        case .failure(let error):
            if let next = (error as? SessionError)?.nextAttempt {
                let wait = max(0, next.timeIntervalSince(scene.clock.now))
                scene.clock.advance(by: .seconds(wait) + .milliseconds(1))
            }
            return .failed
        }
    }
}
#endif
