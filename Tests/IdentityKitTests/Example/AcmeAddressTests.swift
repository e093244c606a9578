import Foundation
import IdentityKit
import IdentityTesting
import Testing

/// Which servers Acme sends a password to.
@Suite struct AcmeAddressTests {
    @Test(
        "Acme accepts https, and plain http for this machine alone",
        arguments: [
            ("https://acme.example", true), ("http://127.0.0.1:8080", true), ("http://acme.example", false),
            ("http://127.0.0.1.acme.example", false),
        ])
    func address(_ address: String, _ isAccepted: Bool) throws {
        let configuration = try IdentityConfiguration(
            parsing: Data(
                #"{"providers": [{"name": "acme", "type": "acme", "settings": {"baseURL": "\#(address)"}}]}"#.utf8),
            variables: [:])
        var registry = ProviderRegistry(ProviderRegistry.corePlugins)
        registry.register(AcmePlugin.self)
        let environment = IdentityEnvironment(store: MemoryTokenStore())
        if isAccepted {
            _ = try registry.makeChain(for: configuration, environment: environment)
        } else {
            #expect(throws: ServerURLError.insecure(address)) {
                try registry.makeChain(for: configuration, environment: environment)
            }
        }
    }
}
