import Foundation
import IdentityKit
import IdentityOAuth

/// What a provider of the type `protected-resource` needs to know: the resource. Everything else is asked for.
public struct ProtectedResourceSettings: Sendable {
    /// The resource, the server that it names, and the client there.
    public var server: OAuthServer
    /// Authorities that certificates may come from besides the system's. The plug-in gives them to the transport; for a
    /// provider made in code, `ProviderContext.trusting(_:)` does.
    public var trustedCertificates: TrustedCertificates?

    /// Settings made in code.
    /// - Parameters:
    ///   - resource: the resource identifier, exactly as the resource writes it.
    ///   - client: the client; by default one that registers itself.
    ///   - issuer: which of the resource's authorization servers is asked; `nil` for the first.
    ///   - redirectURI: where authorization responses are sent.
    public init(
        resource: URL, client: OAuthClient = .unregistered(), issuer: String? = nil,
        redirectURI: URL? = Self.defaultRedirectURI
    ) {
        self.init(resource, client, issuer: issuer, account: nil)
        server.redirectURI = redirectURI
    }

    private init(_ resource: URL, _ client: OAuthClient, issuer: String?, account: AccountSource?) {
        server = OAuthServer(
            type: ProtectedResourcePlugin.type, resource: resource, client: client, account: account, issuer: issuer)
    }

    /// `http://127.0.0.1/callback`, for desktops and terminals. An app on a phone names its own.
    public static let defaultRedirectURI = URL(string: "http://127.0.0.1/callback")
}

extension ProtectedResourceSettings: Decodable {
    private enum CodingKeys: String, CodingKey {
        case resource, issuer, account, trustedCertificates
    }

    /// Reads `resource`, and optionally what the type `oauth2` reads; `issuer` is one of the resource's authorization
    /// servers. Without `clientID` the client registers itself, and without `redirectURI` the browser returns to this
    /// machine.
    public init(from decoder: any Decoder) throws {
        let settings = try OAuthServerSettings(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let resource = try container.decode(URL.self, forKey: .resource)
        let issuer =
            container.contains(.issuer)
            ? try container.decodeIssuer(forKey: .issuer, settings.transportSecurity) : nil
        let account = try container.decodeIfPresent(AccountSettings.self, forKey: .account)
        // On Linux this throws: what else is wrong comes first.
        let certificates = Result {
            try container.decodeIfPresent(TrustedCertificates.self, forKey: .trustedCertificates)
        }
        let client = try settings.checked(at: nil)
        do {
            _ = try ProtectedResourceMetadata.url(of: resource, transportSecurity: client.transportSecurity)
        } catch {
            throw DecodingError.dataCorruptedError(
                forKey: .resource, in: container, debugDescription: "It must be an absolute https address.")
        }
        let source = try account?.source(client.transportSecurity, at: [CodingKeys.account])
        if case .request(let url, _, _, let profile)? = source,
            ![url, profile.emails ?? url].allSatisfy({ $0.isInside(resource) })
        {
            throw DecodingError.dataCorruptedError(
                forKey: .account, in: container,
                debugDescription: "Its addresses must be at or below the resource, which alone may see the token.")
        }
        self.init(resource, client, issuer: issuer, account: source)
        let (resources, registration) = (server.options.resources, server.registration)
        settings.apply(to: &server)
        server.options.resources = resources + settings.options.resources
        server.registration = settings.registration ?? registration
        server.scopes = settings.scopes ?? []
        server.redirectURI = settings.redirectURI ?? Self.defaultRedirectURI
        if let prompt = settings.prompt { server.prompt = { _ in prompt } }
        trustedCertificates = try certificates.get()
    }
}

extension ProtectedResourceSettings: CustomReflectable {
    /// Shows the server, without its secrets.
    public var customMirror: Mirror { Mirror(self, showing: ["server": server]) }
}
