import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportCheck {
    /// How a request ends without an answer.
    static let ends: [TransportCheck] = [
        TransportCheck("A server that never answers meets the deadline") { make in
            let server = try await server(.text("never"))
            server.fail(.hang)
            let clock = ManualClock()
            let transport = try make(deadline: .seconds(30), time: clock.timeSource)
            let answer = Task { try await transport.data(for: URLRequest(url: server.url)) }
            while clock.sleeperCount == 0 || server.log.isEmpty { await Task.yield() }
            clock.advance(by: .seconds(30))
            await #expect(throws: TransportError.timedOut(host: server.url.authority, after: .seconds(30))) {
                try await answer.value
            }
            await server.stop()
        },
        TransportCheck("A dropped or truncated answer is an error, not half an answer") { make in
            let server = try await server(.text("a whole answer"))
            for fault in [Fault.dropAnswer, .truncateAnswer] {
                server.fail(fault)
                let error = await #expect(throws: TransportError.self) {
                    try await make().data(for: URLRequest(url: server.url))
                }
                #expect(error?.wasNeverSent == false)
            }
            await server.stop()
        },
        TransportCheck("Cancelling a waiting request ends it, and cancelling storms leave the transport usable") {
            make in
            let server = try await server(.text("ok"))
            let transport = try make()
            server.fail(.hang)
            let waiting = Task { try await transport.data(for: URLRequest(url: server.url)) }
            while server.log.isEmpty { await Task.yield() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }

            await withTaskGroup(of: Void.self) { group in
                for index in 0..<200 {
                    group.addTask {
                        let request = Task { try await transport.data(for: URLRequest(url: server.url)) }
                        for _ in 0..<(index % 17) { await Task.yield() }
                        request.cancel()
                        _ = await request.result
                    }
                }
            }
            let (body, _) = try await transport.data(for: URLRequest(url: server.url))
            #expect(String(decoding: body, as: UTF8.self) == "ok")
            await server.stop()
        },
        TransportCheck("A request whose connection is dropped is not sent again, also on one that was used before") {
            make in
            let server = try await server(.text("ok"))
            let transport = try make()
            _ = try await transport.data(for: URLRequest(url: server.url))
            server.fail(.dropAnswer)
            var request = URLRequest(url: server.url)
            request.httpMethod = "POST"
            request.httpBody = Data("spend=once".utf8)
            await #expect(throws: TransportError.connectionLost(host: server.url.authority)) {
                try await transport.data(for: request)
            }
            #expect(server.log.count == 2)
            await server.stop()
        },
    ]
}
