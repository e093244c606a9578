#if os(Linux)
import Foundation
import IdentityKit
import IdentityTesting

/// A person who has signed in, an event, and the calls after it.
struct LaterRun: Sendable {
    let scene: ProviderScene
    let event: LaterEvent

    /// Signs in, lets it happen, and asks at once and a minute later.
    func row() async throws -> LaterRow {
        let ahead = Locked<TimeInterval>(0)
        let time = event == .clockMoved ? scene.clock.dates { ahead.withLock { $0 } } : scene.clock.hasty
        let (detour, store) = (Detour(of: scene.endpoints.refresh), MemoryTokenStore())
        let provider = try scene.provider(time: time, store: store, transport: detour)
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        scene.clock.advance(by: .seconds(1))
        let copy = try scene.server.copy()

        switch event {
        case .refused:
            let token = try await provider.accessToken(for: scene.account, scopes: [])
            return LaterRow(try await answer(of: provider, replacing: token), later: try await answer(of: provider))
        case .clockMoved:
            ahead.withLock { $0 = 3700 }
            let now = try await answer(of: provider)
            ahead.withLock { $0 = 0 }
            return LaterRow(now, later: try await answer(of: provider))
        case .rotated, .restored:
            scene.clock.advance(by: scene.tokenLifetime)
            _ = try await provider.accessToken(for: scene.account, scopes: [])
        case .passwordChanged: try scene.server.setPassword("Another-password-2", ofPerson: scene.personID)
        case .revoked: scene.revoke()
        case .personDeleted: try scene.server.removePerson(scene.personID)
        case .clientDeleted: try scene.server.removeClients()
        case .restarted: try scene.server.restart(from: scene.server.copy())
        case .forgotten: try scene.server.restart(from: nil)
        case .expired, .serverAway, .processEnded: break
        }
        if event == .restored { try scene.server.restart(from: copy) }
        scene.clock.advance(by: scene.tokenLifetime)

        var asked = provider
        let now: LaterAnswer
        switch event {
        case .serverAway:
            let answer = Locked(LaterAnswer.token)
            try await Outage.refused.last(in: scene, at: detour, atMost: 1) {
                do {
                    _ = try await provider.accessToken(for: scene.account, scopes: [])
                } catch {
                    answer.withLock { $0 = LaterAnswer(error) }
                }
            }
            now = answer.withLock { $0 }
        case .processEnded:
            asked = try scene.provider(time: time, store: store, transport: detour)
            now = try await settledAnswer(of: asked)
        default: now = try await settledAnswer(of: asked)
        }
        scene.clock.advance(by: .seconds(60))
        return LaterRow(now, later: try await settledAnswer(of: asked))
    }

    /// What a second call gives, which may come in a pause after the first.
    private func settledAnswer(of provider: any SessionProvider) async throws -> LaterAnswer {
        _ = try await answer(of: provider)
        return try await answer(of: provider)
    }

    private func answer(of provider: any SessionProvider, replacing token: String? = nil) async throws -> LaterAnswer {
        do {
            let token =
                if let token {
                    try await provider.accessToken(
                        for: scene.account, scopes: [], resource: nil, freshness: .other(than: token))
                } else {
                    try await provider.accessToken(for: scene.account, scopes: [])
                }
            guard try await scene.status(token) == 200 else { throw UselessToken() }
            return .token
        } catch {
            return LaterAnswer(error)
        }
    }

    private struct UselessToken: Error {}
}
#endif
