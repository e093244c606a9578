#if os(Linux)
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// What becomes of a session in the months after its sign-in: one row for every event and provider.
@Suite("Later life: what a person is shown after an event, whatever the provider", .endsInTime)
struct LaterLifeTests {
    @Test(arguments: LaterEvent.allCases, OutageProvider.allCases)
    func row(event: LaterEvent, provider: OutageProvider) async throws {
        guard let expected = event.row(of: provider) else { return }
        let scene = try await provider.scene(.strict)
        let row = try await LaterRun(scene: scene, event: event).row()
        #expect(row.now.fits(expected.now), "at once: \(row.now)")
        #expect(row.later.fits(expected.later), "a minute later: \(row.later)")
        await scene.stop()
    }

    @Test(
        "Whoever is asked for a sign-in can sign in again, where there still is a person",
        arguments: [
            OutageProvider.openIDConnect, .oAuth2, .gitLab, .protectedResource, .thunderID,
        ])
    func signsInAgain(provider: OutageProvider) async throws {
        let scene = try await provider.scene(.strict)
        let row = try await LaterRun(scene: scene, event: .forgotten).row()
        #expect(row.later.fits(.ended()) || row.later.fits(.suspended))
        let again = try await scene.signedIn()
        #expect(try await scene.status(try await again.accessToken(for: scene.account, scopes: [])) == 200)
        await scene.stop()
    }
}
#endif
