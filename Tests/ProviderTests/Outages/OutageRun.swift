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
        let provider = try scene.provider(time: scene.clock.hasty, store: MemoryTokenStore(), transport: detour)
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        guard let sessions = (provider as? any SessionBackedProvider)?.sessions,
            let token = try await sessions.storedCredential(of: scene.account)?.refreshToken
        else { throw SessionError.cannotRefresh(scene.account) }
        scene.clock.advance(by: scene.tokenLifetime)
        var answer = Answer.failed
        try await outage.last(in: scene, at: detour, atMost: 2 * calls) {
            for _ in 1...calls {
                answer = await ask(provider)
                if case .token = answer { return }
            }
        }
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

    /// Whether the server would not take the token, and has said so in its last response.
    private func isRefused(_ token: Secret) -> Bool {
        let word = scene.http.log.last { $0.path == scene.endpoints.refresh }?.status ?? 0
        return !scene.takes(token) && (400..<500).contains(word)
    }

    /// Asks for a token. Whoever is told when the next attempt is waits until then.
    private func ask(_ provider: any SessionProvider) async -> Answer {
        do {
            return .token(try await provider.accessToken(for: scene.account, scopes: []))
        } catch SessionError.ended {
            return .ended
        } catch {
            if let next = (error as? SessionError)?.nextAttempt {
                let wait = max(0, next.timeIntervalSince(scene.clock.now))
                scene.clock.advance(by: .seconds(wait) + .milliseconds(1))
            }
            return .failed
        }
    }
}
#endif
