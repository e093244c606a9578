import Foundation
import IdentityKit
import IdentityOAuth

/// The settings of a provider of the type `protected-resource`. Only the resource is required; the rest is discovered.
public struct ProtectedResourceSettings: Sendable {
    /// The resource, its authorization server, and the client at that server.
    public var server: OAuthServer
    /// Certificates to trust in addition to the system's: those of servers, or of authorities that issued a server's
    /// certificate. The plug-in passes them to the transport; for a provider made in code, use `ProviderContext.trusting(_:)`.
    public var trustedCertificates: TrustedCertificates?

    /// Creates settings in code, for a provider that no configuration describes.
    /// - Parameters:
    ///   - resource: the resource identifier, exactly as the resource writes it.
    ///   - client: the client; by default one that registers itself.
    ///   - issuer: the issuer identifier of the authorization server to use, among those that the resource names; `nil` for
    ///     the first.
    ///   - redirectURI: the address to which authorization responses are sent.
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

    /// The redirect URI `http://127.0.0.1/callback`, for desktops and terminals. Apps on phones need a redirect URI of their
    /// own.
    public static let defaultRedirectURI = URL(string: "http://127.0.0.1/callback")
}

extension ProtectedResourceSettings: Decodable {
    /// Reads `resource`, and optionally what the type `oauth2` reads, except `usesCodeChallenge`. `endpoints` has no effect.
    /// `issuer` selects one of the authorization servers that the resource names. Without `clientID` the client registers
    /// itself, and without `redirectURI` the browser returns to this machine.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        let shared = try OAuthServerSettings(from: settings.adjusting(Self.describe))
        let security = shared.transportSecurity
        let resource: URL = try settings.read(
            "resource", .resource(security),
            means: "The resource identifier, as the resource writes it, or an address below that.",
            example: "https://api.example.com")
        let issuer: String? = try settings.readIfPresent(
            "issuer", .issuer(security),
            means: "Which of the resource's authorization servers is asked; by default the first.",
            example: "https://id.example.com")
        let account = try settings.objectIfPresent(
            "account", means: "Who has signed in: where the resource says it, and in which members of its answer.",
            example: ["url": "https://api.example.com/me", "identifier": "id"]
        ) { try AccountSource(from: $0, security) }
        let certificates = try settings.trustedCertificates()
        let client = try shared.client(at: nil)
        if case .request(let url, _, _, let profile)? = account,
            ![url, profile.emails ?? url].allSatisfy({ $0.isInside(resource) })
        {
            throw settings.mistake(
                "account", "Its addresses must be at or below the resource, which alone may see the token.")
        }
        self.init(resource, client, issuer: issuer, account: account)
        let (resources, registration) = (server.options.resources, server.registration)
        server = server.with(shared.server)
        server.options.resources = resources + shared.server.options.resources
        server.registration = shared.server.registration ?? registration
        server.scopes = shared.scopes ?? []
        server.redirectURI = shared.server.redirectURI ?? Self.defaultRedirectURI
        if let prompt = shared.prompt { server.prompt = { _ in prompt } }
        trustedCertificates = certificates
    }

    /// Adapts the description of a setting that all OAuth types have. Here, examples need neither `clientID` nor
    /// `redirectURI`: the client can register itself, and there is a default redirect URI.
    private static func describe(_ setting: inout SettingDescription) {
        switch setting.key {
        case "registration": break
        case "clientID": setting.isUsual = false
        case "redirectURI":
            setting.isUsual = false
            setting.example = "com.example.app://callback"
            setting.default = (defaultRedirectURI?.absoluteString).map(JSONValue.string)
        default:
            if setting.key == "bindsTokens" {
                setting.meaning += " By default they are where the resource and its server take that."
                setting.default = nil
            }
            if setting.key == "scopes" { setting.default = [] }
            // Add a client identifier to the example: settings of client authentication are invalid without it.
            setting.add(["clientID": "example-app"])
        }
    }
}

extension ProtectedResourceSettings: Reticent {
    /// Shows the server, without its secrets.
    package var shown: KeyValuePairs<String, Any> { ["server": server] }
}
