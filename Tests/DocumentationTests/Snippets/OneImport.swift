import SwiftIdentity
import Testing

/// The lines of the library's page beside the program that a test runs.
@Suite struct OneImport {
    private func withoutAFile() throws -> IdentityClient {
        // snippet: without-a-file
        let work = ProviderConfiguration(
            name: "work", type: "openid-connect",
            settings: [
                "issuer": "https://id.example.com", "clientID": "notes", "redirectURI": "com.example.notes:/callback",
            ])
        let client = try IdentityClient(configuration: IdentityConfiguration(providers: [work]))
        // end snippet
        return client
    }

    @Test("A client of one import knows every provider type", arguments: ProviderRegistry.everyType.types)
    func types(type: String) {
        let provider = ProviderConfiguration(name: "one", type: type, settings: ["unknown": true])
        let error = #expect(throws: ConfigurationError.self) {
            try IdentityClient(configuration: IdentityConfiguration(store: .memory, providers: [provider]))
        }
        #expect(error?.failureCode != "configuration_unknown_provider_type")
    }
}
