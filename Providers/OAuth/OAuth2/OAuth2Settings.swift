import Foundation
import IdentityKit
import IdentityOAuth

/// What a provider of the type `oauth2` needs to know: an ``/IdentityOAuth/OAuthServer`` in the words of a configuration.
public struct OAuth2Settings: Sendable {
    /// The server and its client.
    public var server: OAuthServer
    /// Authorities that the server's certificate may come from besides the system's. The plug-in gives them to the
    /// transport; for a provider made in code, `ProviderContext.trusting(_:)` does.
    public var trustedCertificates: TrustedCertificates?

    /// Settings made in code.
    public init(_ server: OAuthServer, trustedCertificates: TrustedCertificates? = nil) {
        self.server = server
        self.trustedCertificates = trustedCertificates
    }
}

extension OAuth2Settings: Decodable {
    private enum CodingKeys: String, CodingKey {
        case issuer, account, usesCodeChallenge, trustedCertificates
    }

    /// Reads `issuer`, `clientID` and `account`, and optionally what the type `openid-connect` reads.
    ///
    /// `issuer` is the server's issuer identifier, where its metadata is found (RFC 8414), or its address, where
    /// `endpoints` names a token endpoint and one for sign-ins: then no metadata is asked for.
    ///
    /// `account` says who signed in: `identifier` is the path of the member that identifies a person for ever; `name`,
    /// `email`, `username` and `picture` are those of what is shown. They are members of the JSON that `url` returns to who
    /// has the access token, with `headers` in the request, or without `url` of the token response. In a list, a path begins
    /// with a position, as in `0.id`. A text with paths in braces stands for their values, as in
    /// `https://pictures.example.com/{id}.png`; `emails` is the address that lists e-mail addresses.
    ///
    /// For servers that differ from RFC 6749: `scopeSeparator`; `requestFormat`, with the properties of
    /// ``/IdentityOAuth/RequestFormat``; `tokenResponse`, with those of ``/IdentityOAuth/TokenResponseFormat``; and
    /// `usesCodeChallenge`, which only `false` switches off.
    public init(from decoder: any Decoder) throws {
        let settings = try OAuthServerSettings(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let issuer = try container.decodeIssuer(forKey: .issuer, settings.transportSecurity)
        let account = try container.decode(AccountSettings.self, forKey: .account)
        let usesCodeChallenge = try container.decodeIfPresent(Bool.self, forKey: .usesCodeChallenge)
        // On Linux this throws: what else is wrong comes first.
        let certificates = Result {
            try container.decodeIfPresent(TrustedCertificates.self, forKey: .trustedCertificates)
        }
        let client = try settings.checked(at: issuer)
        server = try Self.server(
            issuer, settings, client, try account.source(client.transportSecurity, at: [CodingKeys.account]))
        server.scopes = settings.scopes ?? []
        let prompt = settings.prompt ?? []
        server.prompt = { _ in prompt }
        server.usesCodeChallenge = usesCodeChallenge ?? true
        trustedCertificates = try certificates.get()
    }

    /// The server: found by its issuer, or with endpoints that are enough for a sign-in.
    private static func server(
        _ issuer: String, _ settings: OAuthServerSettings, _ client: OAuthClient, _ account: AccountSource
    ) throws -> OAuthServer {
        let endpoints = settings.endpoints
        var server: OAuthServer
        if endpoints[.token] != nil, endpoints[.authorization] ?? endpoints[.deviceAuthorization] != nil {
            server = try OAuthServer(
                type: OAuth2Plugin.type, backend: issuer, client: client, endpoints: endpoints,
                account: account)
        } else {
            server = OAuthServer(
                type: OAuth2Plugin.type, issuer: issuer, client: client, account: account,
                replacing: endpoints)
        }
        settings.apply(to: &server)
        return server
    }
}

extension OAuth2Settings: CustomReflectable {
    /// Shows the server, without its secrets.
    public var customMirror: Mirror { Mirror(self, showing: ["server": server]) }
}
