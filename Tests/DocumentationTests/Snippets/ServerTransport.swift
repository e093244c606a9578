#if AsyncHTTPClient
import Foundation
import IdentityAsyncHTTPClient
import IdentityKit

enum ServerTransport {
    // snippet: server-transport
    func environment(over store: any TokenStore) throws -> IdentityEnvironment {
        var options = AsyncHTTPClientTransport.Options()
        options.maximumConnectionsPerHost = 16
        options.proxy = .init(host: "proxy.example.com", port: 3128)
        options.trustedCertificates = try TrustedCertificates(
            Data(contentsOf: URL(fileURLWithPath: "/run/secrets/ca.pem")))
        return IdentityEnvironment(store: store, transport: try AsyncHTTPClientTransport(options: options))
    }
    // end snippet
}
#endif
