import Foundation
import IdentityKit
import IdentityTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// This machine's clock is wrong, by an hour or by ten years, and the server sends its own time or does not: no session
/// ends by that, and no request is sent in a loop.
@Suite struct ProviderClockTests {
    static let offsets: [TimeInterval] = [3700, -3700, 10 * 365 * 86_400, -10 * 365 * 86_400]

    private func scene(of provider: ProviderCase, omitsDate: Bool) async throws -> ProviderScene {
        let scene = try await provider.scene()
        scene.http.standingFaults.omitsDate = omitsDate
        return scene
    }

    @Test(
        "A local server sends its time with every response, and leaves it out where a test wants that",
        arguments: ProviderCase.allCases)
    func date(provider: ProviderCase) async throws {
        for omitsDate in [false, true] {
            let scene = try await scene(of: provider, omitsDate: omitsDate)
            let url = scene.http.url.appendingPathComponent(scene.document)
            let (_, head) = try await DefaultTransport.make().data(for: URLRequest(url: url))
            #expect((head.value(forHTTPHeaderField: "Date") == nil) == omitsDate)
            await scene.stop()
        }
    }

    @Test(
        "A person signs in and stays signed in with a clock that is wrong all the time", arguments: offsets,
        ProviderCase.allCases)
    func always(offset: TimeInterval, provider: ProviderCase) async throws {
        for omitsDate in [false, true] {
            let scene = try await scene(of: provider, omitsDate: omitsDate)
            let provider = try scene.provider(time: scene.clock.dates { offset })
            let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
            let reports = scene.monitor.reports()
            for refreshes in 1...3 {
                scene.clock.advance(by: scene.tokenLifetime)
                let token = try await provider.accessToken(for: account, scopes: [])
                #expect(try await scene.status(token) == 200)
                #expect(try await provider.accessToken(for: account, scopes: []) == token)
                #expect(scene.refreshes() == refreshes)
            }
            let end = AccountID(account: "end", realm: "reports")
            scene.monitor.report(.stored(end))
            for await report in reports {
                if case .stored(end) = report { break }
                if case .droppedIDToken = report { Issue.record("\(report)") }
            }
            await scene.stop()
        }
    }

    @Test(
        "A clock that jumps, jumps back or is put right ends no session and costs one refresh each", arguments: offsets,
        ProviderCase.allCases)
    func jumps(offset: TimeInterval, provider: ProviderCase) async throws {
        let rightAtFirst = [0, offset, 0, offset, 0]
        // Where the provider knows the end of a session, one that began with a wrong clock may be over with the right one.
        let jumps = provider == .insForge ? [rightAtFirst, [offset, 0, offset, 0]] : [rightAtFirst]
        for omitsDate in [false, true] {
            for jumps in jumps {
                let scene = try await scene(of: provider, omitsDate: omitsDate)
                let jump = Locked(jumps[0])
                let provider = try scene.provider(time: scene.clock.dates { jump.withLock { $0 } })
                let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
                for (round, seconds) in jumps.enumerated() {
                    jump.withLock { $0 = seconds }
                    if let end = scene.sessionLifetime, seconds > end {
                        // Over for as long as the clock says so; nothing is asked or written.
                        await #expect(throws: SessionError.self) {
                            try await provider.accessToken(for: account, scopes: [])
                        }
                        continue
                    }
                    for _ in 1...3 {
                        let token = try await provider.accessToken(for: account, scopes: [])
                        #expect(try await scene.status(token) == 200)
                    }
                    #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == account)
                    #expect(scene.refreshes() <= round)
                }
                await scene.stop()
            }
        }
    }
}
