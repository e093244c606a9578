import Foundation
import IdentityKit
import IdentityOAuth

/// The settings of a provider of the type `oauth2`, which describe an ``/IdentityOAuth/OAuthServer``.
public struct OAuth2Settings: Sendable {
    /// The server with its client, scopes and the source of the account's identity.
    public var server: OAuthServer
    /// Certificates to trust in addition to the system's: those of servers, or of authorities that issued a server's
    /// certificate. The plug-in passes them to the transport; for a provider made in code, use `ProviderContext.trusting(_:)`.
    public var trustedCertificates: TrustedCertificates?

    /// Creates settings in code, for a provider that no configuration describes.
    public init(_ server: OAuthServer, trustedCertificates: TrustedCertificates? = nil) {
        self.server = server
        self.trustedCertificates = trustedCertificates
    }
}

extension OAuth2Settings: Decodable {
    /// Reads the settings that the type `openid-connect` reads, except `tenants`. The setting `account` is required too.
    ///
    /// `issuer` is the server's issuer identifier, by which its metadata is found (RFC 8414). If `endpoints` has the token
    /// endpoint and an authorization or device authorization endpoint, no metadata is requested, and `issuer` is only
    /// the server's address.
    ///
    /// `account` describes who signed in: `identifier` is the path of the member that permanently identifies a person;
    /// `name`, `email`, `username` and `picture` are the paths of profile members. The paths refer to the JSON that `url`
    /// returns for a request with the access token and `headers`. Without `url`, they refer to the token response. If the
    /// JSON is a list, a path begins with an index, as in `0.id`. Instead of a path, a profile member can be a text with
    /// paths in braces, which are replaced by their values, as in `https://pictures.example.com/{id}.png`. `emails` is the
    /// address of a list of e-mail addresses, for a server that returns none at the path `email`.
    ///
    /// The remaining settings are for servers that differ from RFC 6749: `scopeSeparator`; `requestFormat`, with the
    /// properties of ``/IdentityOAuth/RequestFormat``; `tokenResponse`, with those of
    /// ``/IdentityOAuth/TokenResponseFormat``; and `usesCodeChallenge`, which is `true` by default.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        var shared = try OAuthServerSettings(
            from: settings.adjusting { if ["scopes", "prompt"].contains($0.key) { $0.default = [] } })
        let issuer: String = try settings.read(
            "issuer", .issuer(shared.transportSecurity),
            means: "The issuer identifier, or the server's address where endpoints has all that a sign-in needs.",
            example: "https://id.example.com")
        let account = try settings.object(
            "account", means: "Who has signed in: where the server says it, and in which members of its answer.",
            example: ["url": "https://api.example.com/me", "identifier": "id", "name": "name"]
        ) { try AccountSource(from: $0, shared.transportSecurity) }
        try shared.server.readCodeChallenge(from: settings)
        trustedCertificates = try settings.trustedCertificates()
        let client = try shared.client(at: issuer)
        server = try Self.server(issuer, client, shared.endpoints, account).with(shared.server)
        server.scopes = shared.scopes ?? []
        let prompt = shared.prompt ?? []
        server.prompt = { _ in prompt }
    }

    /// Creates a server with only the configured endpoints if they suffice for a sign-in. Otherwise the endpoints come from
    /// the server's metadata, and the configured endpoints replace those in it.
    private static func server(
        _ issuer: String, _ client: OAuthClient, _ endpoints: [ServerEndpoint: URL],
        _ account: AccountSource
    ) throws -> OAuthServer {
        let type = OAuth2Plugin.type
        guard endpoints[.token] != nil, endpoints[.authorization] ?? endpoints[.deviceAuthorization] != nil else {
            return OAuthServer(type: type, issuer: issuer, client: client, account: account, replacing: endpoints)
        }
        return try OAuthServer(
            type: type, backend: issuer, client: client, endpoints: endpoints, account: account)
    }
}

extension OAuth2Settings: Reticent {
    /// Shows the server, without its secrets.
    package var shown: KeyValuePairs<String, Any> { ["server": server] }
}
