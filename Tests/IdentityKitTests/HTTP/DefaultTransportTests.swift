import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the default transport of every system promises, also where Foundation's client does not.
@Suite(.endsInTime) struct DefaultTransportTests {
    @Test(
        "RFC 9110 6.5: a response with a trailer is a result, and no trailer becomes a header field",
        arguments: [
            "X-T": "1", "WWW-Authenticate": "Bearer", "DPoP-Nonce": "n", "Date": "Thu, 01 Jan 1970 00:00:00 GMT",
            "Retry-After": "9",
        ], [true, false])
    func trailer(field: (key: String, value: String), isAnnounced: Bool) async throws {
        var response = LocalResponse.json([:])
        response.trailers = [(field.key, field.value)]
        if isAnnounced { response = response.with(header: "Trailer", field.key) }
        let server = try await LocalHTTPServer.start { [response] _ in response }
        let transport = DefaultTransport.make()
        // Also on the connection that has carried a trailer before.
        for _ in 0..<2 {
            let (body, head) = try await transport.data(for: URLRequest(url: server.url))
            #expect(head.statusCode == 200)
            #expect(String(decoding: body, as: UTF8.self) == "{}")
            #expect(head.value(forHTTPHeaderField: "Content-Length") == nil)
            #expect(head.value(forHTTPHeaderField: field.key) == nil)
        }
        await server.stop()
    }
}
