import Foundation
import IdentityKit
import IdentityOAuth

extension OpenIDConnectSettings: Decodable {
    /// Reads `issuer` and `clientID`, and optionally `scopes`, `redirectURI`, `postLogoutRedirectURI`, `signIn`
    /// (`browser` or `device`), `allowsLoopbackHTTP` and `trustedCertificates`.
    ///
    /// A confidential client has `clientSecret`, optionally with `clientAuthentication` (`client_secret_basic`,
    /// `client_secret_post` or `client_secret_jwt`), or a private key for `private_key_jwt`: a JWK in `clientKey`, or
    /// the path of a file with one, or with a key in PEM form and its `clientKeyID`, in `clientKeyFile`, with
    /// `clientKeyAlgorithm` for a key that fits several algorithms. With `clientAuthentication` `signed_client_secret`
    /// the key signs a secret in the name of `clientSecretIssuer`, as Apple requires. A client that registers itself
    /// has no `clientID` but `registration`, an object with the properties of ``/IdentityOAuth/ClientRegistration``.
    ///
    /// For servers with further requirements: `prompt`, a list of words that replaces the `consent` asked for with
    /// `offline_access`; the members of ``/IdentityOAuth/AuthorizationOptions``, such as `loginHint`, `acrValues` and
    /// `resources`; `authorizationParameters` and `tokenParameters`, objects of texts; `pushesAuthorizationRequests`;
    /// `signsAuthorizationRequests`; `responseMode`; `bindsTokens`; `replay`, a ``/IdentityKit/ReplayPolicy``;
    /// `tokenResponse`, with the properties of ``/IdentityOAuth/TokenResponseFormat`` except `ignoresIDToken`;
    /// `requestFormat`, with those of ``/IdentityOAuth/RequestFormat``; `scopeSeparator`; `usesCodeChallenge`, which is
    /// `true` by default; `tenants`, for a server whose issuer has a tenant in its name: an object with the properties
    /// of ``/IdentityOAuth/TenantIssuer``, of which `accepted` is optional; and `endpoints`, an object of addresses by
    /// their names in the server's metadata, such as `token_endpoint`. If they suffice for a sign-in and include
    /// `jwks_uri`, no metadata is requested, and there are no other endpoints.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        var shared = try OAuthServerSettings(
            from: settings.adjusting { setting in
                guard setting.key == "scopes" else { return }
                setting.meaning = "The scopes of a session; openid is always among them."
                setting.example = ["openid", "email"]
                setting.default = .array(Self.defaultScopes.map(JSONValue.string))
            })
        let issuer: String = try settings.read(
            "issuer", .issuer(shared.transportSecurity),
            means: "The issuer identifier, byte for byte as the server writes it.", example: "https://id.example.com")
        try shared.server.readCodeChallenge(from: settings)
        let certificates = try settings.trustedCertificates()
        let tenants: TenantIssuer? = try settings.readIfPresent(
            "tenants", means: "The issuers of a server with many tenants, such as Microsoft's.",
            example: ["template": "https://id.example.com/{tenantid}/v2.0", "claim": "tid"])
        shared.server.client = try shared.client(at: issuer)
        guard !shared.server.tokenResponseFormat.ignoresIDToken else {
            throw settings.mistake(
                "tokenResponse", "Its ignoresIDToken is for the type oauth2: here the ID token says who signed in.")
        }
        self.init(issuer: issuer, scopes: shared.scopes, prompt: shared.prompt, shared: shared.server)
        self.tenants = tenants
        endpoints = shared.endpoints
        trustedCertificates = certificates
    }
}
