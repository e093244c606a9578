import IdentityKit
import IdentityOAuth

/// Makes any protected resource available to configurations as the provider type `protected-resource`. Its providers are
/// ``/IdentityOAuth/OAuthSessionProvider``s.
public enum ProtectedResourcePlugin: ProviderPlugin {
    public static let type = "protected-resource"

    /// Other names under which people may look for the type.
    public static let otherNames: Set = ["mcp"]

    /// Creates a provider. Its transport also trusts a server whose certificate is one of the configured certificates
    /// or was issued by one of them. A transport of the app's own type stays unchanged.
    /// - Throws: an error with the code `trusted_certificates_unsupported` if the transport cannot use added
    ///   certificates, or `certificate_invalid` if it cannot read one.
    public static func makeProvider(
        settings: ProtectedResourceSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        OAuthSessionProvider(settings.server, context: try context.trusting(settings.trustedCertificates))
    }

    public static let addressSetting: String? = "resource"

    public static let destinationSetting: String? = "resource"

    private static let metadata = PublishedDocument.wellKnown("oauth-protected-resource")

    /// The document by which a resource is recognized: its metadata (RFC 9728).
    public static let published = [metadata]

    /// Recognizes a resource whose metadata has the member `resource`.
    public static func recognize(_ documents: PublishedDocuments) -> Recognition? {
        guard let document = documents[metadata], document["resource"] != nil else { return nil }
        return Recognition(
            ["resource": .string(documents.address.absoluteString)], name: document["resource_name"]?.stringValue)
    }

    /// Returns the settings for a sign-in to a resource: its address, and `allowsLoopbackHTTP` for an `http` address.
    /// The rest is discovered. `nil` for any other sign-in.
    public static func settings(for signIn: RequestedSignIn) -> [String: JSONValue]? {
        guard case .toResource(let url) = signIn else { return nil }
        let resource: [String: JSONValue] = ["resource": .string(url.absoluteString)]
        return url.scheme?.lowercased() == "http" ? resource.merging(["allowsLoopbackHTTP": true]) { $1 } : resource
    }
}
