import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The default transport, which passes what it sends and receives to a wiretap.
package struct TappedTransport: HTTPTransport {
    private let wiretap: Wiretap
    private let base = DefaultTransport.make()

    package init(_ wiretap: Wiretap) { self.wiretap = wiretap }

    package func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        wiretap.overhear(request.httpBody ?? Data())
        let (body, response) = try await base.data(for: request)
        wiretap.overhear(body)
        wiretap.overhear(Data((response.value(forHTTPHeaderField: "Location") ?? "").utf8))
        return (body, response)
    }
}
