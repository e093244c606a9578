import Foundation
import IdentityKit
import IdentityOAuth

extension OpenIDConnectSettings: Decodable {
    private enum CodingKeys: String, CodingKey {
        case issuer, tenants, trustedCertificates, tokenResponse, usesCodeChallenge
    }

    /// Reads `issuer` and `clientID`, and optionally `scopes`, `redirectURI`, `postLogoutRedirectURI`, `signIn`
    /// (`browser` or `device`), `allowsLoopbackHTTP` and `trustedCertificates`.
    ///
    /// A confidential client has `clientSecret`, with `clientAuthentication` (`client_secret_basic` or
    /// `client_secret_post`) as it likes, or a private key for `private_key_jwt`: a JWK in `clientKey`, or the path of a
    /// file with one, or with a key in PEM form and its `clientKeyID`, in `clientKeyFile`. With `clientAuthentication`
    /// `signed_client_secret` the key signs a secret in the name of `clientSecretIssuer`, as Apple wants it. A client that
    /// registers itself has no `clientID` but `registration`, an object with
    /// the properties of ``/IdentityOAuth/ClientRegistration``.
    ///
    /// For servers that want more: `prompt`, a list of words that replaces the `consent` asked for with `offline_access`;
    /// the members of ``/IdentityOAuth/AuthorizationOptions``, such as `loginHint`, `acrValues` and `resources`;
    /// `authorizationParameters` and `tokenParameters`, objects of texts; `pushesAuthorizationRequests`;
    /// `signsAuthorizationRequests`; `bindsTokens`; `replay`, a ``/IdentityKit/ReplayPolicy``;
    /// `tokenResponse`, with the properties of ``/IdentityOAuth/TokenResponseFormat`` but `ignoresIDToken`;
    /// `requestFormat`, with those of ``/IdentityOAuth/RequestFormat``; `scopeSeparator`; `usesCodeChallenge`, which only
    /// `false` switches off;
    /// `tenants`, for a server whose issuer has a tenant in its name: an object with the properties of
    /// ``/IdentityOAuth/TenantIssuer``, of which `accepted` is optional; and `endpoints`, an object of addresses by their names in the server's metadata, such as `token_endpoint`. Where they
    /// are enough for a sign-in, with `jwks_uri`, no metadata is asked for, and there are no other endpoints.
    public init(from decoder: any Decoder) throws {
        let server = try OAuthServerSettings(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let issuer = try container.decodeIssuer(forKey: .issuer, server.transportSecurity)
        let usesCodeChallenge = try container.decodeIfPresent(Bool.self, forKey: .usesCodeChallenge) ?? true
        // On Linux this throws: what else is wrong comes first. It is read before the tenants, because the schema, which is
        // made by reading, stops where a template lacks its placeholder.
        let certificates = Result {
            try container.decodeIfPresent(TrustedCertificates.self, forKey: .trustedCertificates)
        }
        let tenants = try container.decodeIfPresent(TenantIssuer.self, forKey: .tenants)
        let client = try server.checked(at: issuer)
        guard !server.tokenResponseFormat.ignoresIDToken else {
            throw DecodingError.dataCorruptedError(
                forKey: .tokenResponse, in: container,
                debugDescription: "Its ignoresIDToken is for the type oauth2: here the ID token says who signed in.")
        }
        self.init(
            issuer: issuer, clientID: client.id, authentication: client.authentication,
            scopes: server.scopes, redirectURI: server.redirectURI,
            postLogoutRedirectURI: server.postLogoutRedirectURI, method: server.method,
            transportSecurity: client.transportSecurity, prompt: server.prompt)
        self.tenants = tenants
        self.usesCodeChallenge = usesCodeChallenge
        options = server.options
        authorizationParameters = server.authorizationParameters
        tokenParameters = server.tokenParameters
        pushesAuthorizationRequests = server.pushesAuthorizationRequests
        signsAuthorizationRequests = server.signsAuthorizationRequests
        bindsTokens = server.bindsTokens
        replay = server.replay
        tokenResponseFormat = server.tokenResponseFormat
        requestFormat = client.requestFormat
        scopeSeparator = server.scopeSeparator
        endpoints = server.endpoints
        registration = server.registration
        trustedCertificates = try certificates.get()
    }
}
