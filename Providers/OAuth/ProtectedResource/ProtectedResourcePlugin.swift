import IdentityKit
import IdentityOAuth

/// Makes any protected resource available to configurations as the provider type `protected-resource`. Its providers are
/// ``/IdentityOAuth/OAuthSessionProvider``s.
public enum ProtectedResourcePlugin: ProviderPlugin {
    public static let type = "protected-resource"

    /// Creates a provider. Its transport also trusts a server whose certificate is one of the configured certificates or was
    /// issued by one of them. An app's own `HTTPTransport` is used as it is, without the configured certificates.
    /// - Throws: an error with the code `trusted_certificates_unsupported` if a transport of this package cannot use added
    ///   certificates, such as `URLSessionTransport` on Linux; or with the code `certificate_invalid` if the transport cannot
    ///   read a certificate.
    public static func makeProvider(
        settings: ProtectedResourceSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        OAuthSessionProvider(settings.server, context: try context.trusting(settings.trustedCertificates))
    }

    /// The setup for the tool `identity`. A resource is recognized by its metadata (RFC 9728) with the member `resource`. A
    /// sign-in to a resource needs only its address, and `allowsLoopbackHTTP` for an `http` address. The rest is discovered.
    public static var setup: PluginSetup {
        let metadata = PublishedDocument.wellKnown("oauth-protected-resource")
        return PluginSetup(
            otherNames: ["mcp"], addressSetting: "resource", destinationSetting: "resource", published: [metadata],
            recognize: { documents in
                guard let document = documents[metadata], document["resource"] != nil else { return nil }
                return Recognition(
                    ["resource": .string(documents.address.absoluteString)],
                    name: document["resource_name"]?.stringValue)
            },
            settingsForSignIn: { signIn in
                guard case .toResource(let url) = signIn else { return nil }
                var settings: [String: JSONValue] = ["resource": .string(url.absoluteString)]
                if url.scheme?.lowercased() == "http" { settings["allowsLoopbackHTTP"] = true }
                return settings
            })
    }
}
