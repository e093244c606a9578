import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportCheck {
    /// What comes back.
    static let responses: [TransportCheck] = [
        TransportCheck("The answer comes back whole, whatever its status") { make in
            for status in [200, 201, 204, 400, 404, 500] {
                let server = try await server(
                    LocalResponse(status: status, headers: [("X-Test", "yes")], body: Data()))
                let (body, head) = try await make().data(for: URLRequest(url: server.url))
                #expect(head.statusCode == status)
                #expect(head.value(forHTTPHeaderField: "x-test") == "yes")
                #expect(body.isEmpty)
                await server.stop()
            }
        },
        TransportCheck("A redirect is the answer and is not followed") { make in
            for status in [301, 302, 303, 307, 308] {
                let server = try await server(
                    LocalResponse(status: status, headers: [("Location", "/elsewhere")], body: Data("moved".utf8)))
                let (body, head) = try await make().data(for: URLRequest(url: server.url))
                #expect(head.statusCode == status)
                #expect(head.value(forHTTPHeaderField: "Location")?.hasSuffix("/elsewhere") == true)
                #expect(String(decoding: body, as: UTF8.self) == "moved")
                #expect(server.log.count == 1)
                await server.stop()
            }
        },
        TransportCheck("A 401 with a challenge is an answer too") { make in
            for challenge in ["Basic", "Basic realm=\"x\"", "Bearer"] {
                let server = try await server(
                    .json(["error": "invalid_client"], status: 401).with(header: "WWW-Authenticate", challenge))
                let (body, head) = try await make().data(for: URLRequest(url: server.url))
                #expect(head.statusCode == 401)
                #expect(try JSONValue(parsing: body)["error"] == "invalid_client")
                await server.stop()
            }
        },
        TransportCheck("Method, header fields and body arrive as they were given") { make in
            let server = try await LocalHTTPServer.start { request in
                .text(
                    "\(request.method) \(request.header("X-Test") ?? "") "
                        + String(decoding: request.body, as: UTF8.self))
            }
            var request = URLRequest(url: server.url)
            request.httpMethod = "POST"
            request.setValue("yes", forHTTPHeaderField: "X-Test")
            request.httpBody = Data("a=b".utf8)
            let (body, _) = try await make().data(for: request)
            #expect(String(decoding: body, as: UTF8.self) == "POST yes a=b")
            await server.stop()
        },
        TransportCheck("Cookies are neither kept nor sent") { make in
            let server = try await LocalHTTPServer.start { request in
                LocalResponse.text(request.header("Cookie") ?? "none").with(header: "Set-Cookie", "a=b; Path=/")
            }
            let transport = try make()
            _ = try await transport.data(for: URLRequest(url: server.url))
            let (body, _) = try await transport.data(for: URLRequest(url: server.url))
            #expect(String(decoding: body, as: UTF8.self) == "none")
            await server.stop()
        },
        TransportCheck("An answer above the limit is refused") { make in
            let server = try await server(LocalResponse(status: 200, body: Data(count: 300_000)))
            let transport = try make(maximumResponseSize: 100_000)
            await #expect(throws: TransportError.responseTooLarge(host: server.url.authority, limit: 100_000)) {
                try await transport.data(for: URLRequest(url: server.url))
            }
            await server.stop()
        },
        TransportCheck("A page above the limit is one without a body to a request that spends something") { make in
            let page = LocalResponse.html(String(repeating: "<p>", count: 100_000), status: 502)
            let server = try await server(page)
            let transport = try make(maximumResponseSize: 100_000)
            var request = URLRequest(url: server.url)
            await #expect(throws: TransportError.responseTooLarge(host: server.url.authority, limit: 100_000)) {
                try await transport.data(for: request)
            }
            request.needsOwnConnection()
            let (body, head) = try await transport.data(for: request)
            #expect(body.isEmpty && head.statusCode == 502 && head.isPage)
            await server.stop()
        },
        TransportCheck("A response with a profile may be larger") { make in
            let server = try await server(LocalResponse(status: 200, body: Data(count: 300_000)))
            let transport = try make(maximumResponseSize: 100_000)
            let request = URLRequest(url: server.url)
            #expect(try await transport.data(for: request, upTo: 300_000).0.count == 300_000)
            await #expect(throws: TransportError.responseTooLarge(host: server.url.authority, limit: 299_999)) {
                try await transport.data(for: request, upTo: 299_999)
            }
            // It widens a limit and narrows none.
            await #expect(throws: TransportError.responseTooLarge(host: server.url.authority, limit: 100_000)) {
                try await transport.data(for: request, upTo: 0)
            }
            await server.stop()
        },
    ]
}
