import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Names another server in the place of one endpoint of a server's metadata.
package struct RenamingTransport: HTTPTransport {
    private let base = DefaultTransport.make()
    private let endpoint: String
    private let address: String

    package init(endpoint: String, address: String) {
        (self.endpoint, self.address) = (endpoint, address)
    }

    package func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let (data, response) = try await base.data(for: request)
        guard request.url?.path.contains(".well-known") == true,
            var document = try? JSONValue(parsing: data).objectValue
        else { return (data, response) }
        document[endpoint] = .string(address)
        return (try JSONEncoder().encode(document), response)
    }
}
