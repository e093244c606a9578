import Foundation
import IdentityKit

/// The settings that the provider types of OAuth servers share: client, sign-in, and the server's deviations from the RFCs.
/// Each type reads them in addition to its own settings.
package struct OAuthServerSettings {
    /// An incomplete server, without type and issuer, that carries the shared settings. ``OAuthServer/with(_:)`` copies them to
    /// the server that a provider type makes.
    package var server: OAuthServer
    /// The configured scopes; `nil` without the setting.
    package let scopes: [String]?
    /// The configured values of `prompt`, which decide what pages the server shows; `nil` without the setting.
    package let prompt: [Prompt]?
    package let endpoints: [ServerEndpoint: URL]
    /// Whether `http` to this machine is accepted.
    package var transportSecurity: TransportSecurity { clientSettings.transportSecurity }
    private let clientSettings: ClientSettings
    private let settings: SettingsReader

    /// Reads the settings. ``client(at:)`` checks that they fit together.
    /// - Throws: ``/IdentityKit/ConfigurationError``.
    package init(from settings: SettingsReader) throws {
        self.settings = settings
        clientSettings = try ClientSettings(from: settings)
        let security = clientSettings.transportSecurity
        scopes = try settings.readIfPresent(
            "scopes", .scopes, means: "The scopes of a session.", example: ["profile", "email"])
        prompt = try settings.readIfPresent(
            "prompt", .prompt,
            means: "Whether and how the server may talk to the person, in the words of OpenID Connect.",
            example: ["select_account"]
        )?.map(Prompt.init(rawValue:))
        endpoints = try settings.endpoints(security)
        var server = OAuthServer(type: "", issuer: "", client: .unregistered(security))
        try server.readSignIn(from: settings)
        try server.readTokenRequests(from: settings)
        server.replay = try settings.replay()
        server.tokensByResource = try settings.read(
            "tokensByResource",
            means:
                "How the server gives tokens for several resources with one refresh token: by resource in JWTs (rfc8707) or in other tokens (opaque), by scopes (entra), by audience (auth0), for its one audience alone (okta), or one token for all (none).",
            example: "auth0", default: "rfc8707")
        server.registration = try settings.readIfPresent(
            "registration",
            SettingRule {
                guard let document = $0.metadataDocument, !security.allows(document) else { return }
                throw SettingError("metadataDocument must be an absolute https address.")
            }, means: "How the client registers itself, in the place of clientID.", example: ["name": "Example"],
            with: ["clientID": .null, "clientSecret": .null])
        self.server = server
    }

    /// Creates the client. Call this after all settings are read: the reads also record the schema of the configuration, so
    /// an error before them would leave settings out of the schema.
    /// - Parameter issuer: the issuer identifier; `nil` if a resource names it. Then neither `clientID` nor `redirectURI` is
    ///   required, because the client can register itself with a redirect URI on this machine.
    /// - Throws: ``/IdentityKit/ConfigurationError`` for settings that do not fit together.
    package func client(at issuer: String?) throws -> OAuthClient {
        let client = try clientSettings.client(audience: issuer ?? "", orRegistering: issuer == nil)
        guard server.redirectURI != nil || server.method == .device || issuer == nil else {
            throw settings.missing("redirectURI")
        }
        if server.signsAuthorizationRequests, client.authentication.method != .privateKeyJWT {
            throw settings.mistake(
                "signsAuthorizationRequests", "Give clientKey or clientKeyFile, with private_key_jwt.")
        }
        return client
    }
}

extension OAuthServer {
    /// Returns a copy of `shared` with the type, backend, resource, discovery, client, account, scopes, prompt,
    /// configured issuer and configured endpoints of this server.
    package func with(_ shared: OAuthServer) -> OAuthServer {
        var server = shared
        (server.type, server.backend, server.resource, server.discover) = (type, backend, resource, discover)
        (server.client, server.account, server.scopes, server.prompt) = (client, account, scopes, prompt)
        (server.givenIssuer, server.givenEndpoints) = (givenIssuer, givenEndpoints)
        return server
    }

    /// The response modes that a configuration can name.
    private enum ReturnWay: String, Decodable, CaseIterable {
        case query
        case formPost = "form_post"
    }

    fileprivate mutating func readSignIn(from settings: SettingsReader) throws {
        method = try settings.read(
            "signIn", means: "How a person signs in: in the browser of this device, or with a code on another one.",
            example: "device", default: "browser")
        try readNativeSignIn(from: settings)
        redirectURI = try settings.readIfPresent(
            "redirectURI", .redirectURI, means: "Where the browser returns after a sign-in, exactly as registered.",
            example: "http://127.0.0.1/callback", isUsual: true)
        postLogoutRedirectURI = try settings.readIfPresent(
            "postLogoutRedirectURI", .redirectURI,
            means: "Where the browser returns after a sign-out at the server.",
            example: "http://127.0.0.1/signed-out")
        let way: ReturnWay? = try settings.readIfPresent(
            "responseMode",
            means:
                "How the response of a sign-in comes back: in the address, or in a form that the server's page posts, as Apple tells name and e-mail address.",
            example: "form_post")
        responseMode = way.map { ResponseMode(rawValue: $0.rawValue) }
        try readSignInOptions(from: settings)
        authorizationParameters = try settings.read(
            "authorizationParameters", .parameters(AuthorizationRequest.checkExtraParameters),
            means: "What the server wants in authorization requests beyond the protocol.",
            example: ["hd": "example.com"], default: [:]
        ).fields
        pushesAuthorizationRequests = try settings.pushesAuthorizationRequests()
        signsAuthorizationRequests = try settings.read(
            "signsAuthorizationRequests",
            means:
                "Whether authorization requests are signed with the client's key although the server does not require it (RFC 9101).",
            example: true, default: false,
            with: ["clientSecret": .null, "clientKeyFile": "client-key.pem", "clientKeyID": "example-key"])
        let separator: ScopeSeparator = try settings.read(
            "scopeSeparator", means: "What is between scopes in requests.", example: ",", default: " ")
        scopeSeparator = separator.rawValue
    }

    private mutating func readNativeSignIn(from settings: SettingsReader) throws {
        let vendor: String? = try settings.readIfPresent(
            "nativeSignIn", .text,
            means:
                "The vendor, such as apple, whose token the server takes: the device then asks the person for it in place of the server's page.",
            example: "apple")
        let grant: NativeTokenGrant.Method = try settings.read(
            "nativeGrant",
            means: "How the server takes that token: exchanged (RFC 8693) or as an assertion (RFC 7523).",
            example: "jwt-bearer", default: "token-exchange", with: ["nativeSignIn": "apple"])
        nativeSignIn = vendor.map { NativeTokenGrant(vendor: $0, method: grant) }
    }

    /// Reads the options that only a sign-in has; ``readTokenRequests(from:)`` reads the others.
    private mutating func readSignInOptions(from settings: SettingsReader) throws {
        options.loginHint = try settings.readIfPresent(
            "loginHint", .text, means: "Whom to sign in, such as an e-mail address.", example: "ada@example.com")
        options.uiLocales = try settings.read(
            "uiLocales", AuthorizationOptions.rule(\.uiLocales),
            means: "The languages of the server's pages as BCP 47 tags, the preferred one first.",
            example: ["de", "en"], default: [])
        options.acrValues = try settings.read(
            "acrValues", AuthorizationOptions.rule(\.acrValues),
            means: "How strongly a person must prove who they are, in the server's words, the preferred one first.",
            example: ["phr"], default: [])
        options.maxAge = try settings.readIfPresent(
            "maxAge", SettingRule { if $0 < 0 { throw SettingError("Write 0 or more seconds.") } },
            means: "How many seconds ago a person may have signed in at the server at most.", example: 3600)
        options.authorizationDetails = try settings.read(
            "authorizationDetails", AuthorizationOptions.rule(\.authorizationDetails),
            means: "What access is asked for in detail, as JSON objects with a type (RFC 9396).",
            example: [["type": "account_information"]], default: [])
    }

    /// Reads the settings of token requests and of their responses, which apply to sign-ins and to grants without a person.
    /// - Throws: ``/IdentityKit/ConfigurationError``.
    package mutating func readTokenRequests(from settings: SettingsReader) throws {
        options.audience = try settings.readIfPresent(
            "audience", .text, means: "For which API access is asked, where the server knows it by a name of its own.",
            example: "https://api.example.com")
        options.resources = try settings.read(
            "resources", AuthorizationOptions.rule(\.resources),
            means: "For which resources access is asked, as addresses (RFC 8707).",
            example: ["https://api.example.com"], default: [])
        tokenParameters = try settings.read(
            "tokenParameters", .parameters(TokenRequest.checkExtraParameters),
            means: "What the server wants in token requests beyond the protocol.",
            example: ["tenant": "example"], default: [:]
        ).fields
        bindsTokens = try settings.read(
            "bindsTokens", means: "Whether tokens are bound to a key, so that a stolen one is of no use (RFC 9449).",
            example: true, default: false)
        bindsOfferedTokens = bindsTokens || !settings.contains("bindsTokens")
        tokenResponseFormat = try settings.read(
            "tokenResponse",
            means: "How the server's token responses differ from RFC 6749, and what else of them is kept.",
            example: ["scopeSeparator": ","], default: [:])
    }

    /// Reads whether sign-ins use PKCE (RFC 7636). Not called for an authorization server that a protected resource names
    /// (RFC 9728), because such a server must support PKCE.
    /// - Throws: ``/IdentityKit/ConfigurationError``.
    package mutating func readCodeChallenge(from settings: SettingsReader) throws {
        usesCodeChallenge = try settings.read(
            "usesCodeChallenge", means: "Whether PKCE is used, which only a server that refuses it makes false.",
            example: false, default: true)
    }
}
