import Foundation

/// The addresses of endpoints among the settings of a provider, under their names in metadata.
package struct EndpointSettings: Decodable, Sendable {
    package let endpoints: [AuthorizationServerMetadata.Endpoint: URL]

    /// None.
    package init() { endpoints = [:] }

    /// Reads what is there. ``check(_:at:)`` checks it.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AuthorizationServerMetadata.Endpoint.self)
        endpoints = try AuthorizationServerMetadata.Endpoint.allCases.reduce(into: [:]) { endpoints, endpoint in
            endpoints[endpoint] = try container.decodeIfPresent(URL.self, forKey: endpoint)
        }
    }

    /// - Parameters:
    ///   - security: which addresses are acceptable.
    ///   - path: the path of the setting.
    /// - Throws: `DecodingError`.
    package func check(_ security: TransportSecurity, at path: [any CodingKey]) throws {
        for (endpoint, url) in endpoints where !security.allows(url) {
            let context = DecodingError.Context(
                codingPath: path + [endpoint], debugDescription: "It must be an absolute https address.")
            throw DecodingError.dataCorrupted(context)
        }
    }
}
