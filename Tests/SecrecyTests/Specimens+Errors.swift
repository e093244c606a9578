import Foundation
import IdentityKit
import InsForge
import IdentityOAuth
import Testing
import ThunderID

extension Specimens {
    /// Every type of error, and what comes of input that holds a secret.
    static func errors() throws -> [Any] {
        kindsOfIdentityKit() + kindsOfOAuthKit() + (try caught())
    }

    private static func kindsOfIdentityKit() -> [Any] {
        [
            WebAuthenticationError.noWindow, TokenStoreError.locked(detail: "d"),
            SessionImportError.foreign(source: "Elder", reason: "r"),
            StoredAccountError.refreshesElsewhere(realm: "work"), FixedTokenError.notSignedIn(account),
            NothingConfiguredError(gaps: "VARIABLE is not set"),
            ClientError.notConfigurable, ClientError.accountRequired, ClientError.cannotDelegate("work"),
            ClientError.severalAccounts([account], host: "example.com"), MalformedTokenError(name: "access token"),
            RandomnessError(),
            ConfigurationError.missingKey(keyPath: "store"),
            ChainUsageError.ambiguous("ada"), ChainLinkError.tooSlow(limit: .seconds(1)),
            ChainError(attempts: [], underlying: ClientError.notConfigurable), TrustedCertificatesError.notACertificate,
            ProviderError(underlying: ClientError.notConfigurable), TokenFreshness.other(than: Planted.text),
            TransportError.proxiedLoopback(host: "127.0.0.1", variable: "http_proxy"), ServerURLError.empty,
            TransportError.privateAddress(host: "localhost"),
            SessionError.suspended(
                account, Suspension("k", because: "No.", retries: .hourly, at: .distantPast)),
            SessionError.belongsElsewhere(account, reason: "It is of another client."),
            SessionError.resourceNotGranted(
                account, resource: "https://api.example.com", reason: "No.", nextAttempt: nil),
            SessionError.refreshRefused(account, reason: "No.", nextAttempt: .distantFuture),
            SessionChangedError(SessionNumber(1, of: account)), SignInOptionsError(), SignInForm.page,
            SignInWishes(loginHint: Planted.text), SettingPlace.variable("V"),
            IAMError(.serverError, "No."),
            PasskeyError.domainNotAssociated,
            InsForgeAuthError.sessionExpired,
        ]
    }

    private static func kindsOfOAuthKit() -> [Any] {
        [
            InvalidResponseReason.missingMember("access_token"), ResponseFault.tokenType("JWT"),
            InvalidIDTokenReason.nonceMismatch,
            InvalidSettingReason.unusableKey,
            InvalidMetadataReason.missingEndpoint(member: "jwks_uri"), InvalidTokenReason.invalidSignature,
            InvalidCallbackReason.stateMismatch, InvalidUserInfoReason.subjectMismatch,
            InvalidRegistrationReason.notSupported, InvalidResourceReason.insecureMetadata,
            OAuthError.invalidIDToken(.missing), PlatformTokenError.missing("the variable ID_TOKEN"),
        ]
    }

    /// The errors that code throws for what holds a secret.
    private static func caught() throws -> [Any] {
        let callback = try #require(
            URL(string: "com.example.app:/callback?code=\(Planted.text)&code=\(Planted.text)&state=\(Planted.text)"))
        let user = try #require(URL(string: "com.example.app://user:\(Planted.text)@callback?code=\(Planted.text)"))
        let issuer = "https://user:\(Planted.text)@id.example.com?x=\(Planted.text)"
        let document = #"{"providers": [{"name": "work", "type": "static", "settings": "\#(Planted.text)"}]}"#
        return [
            caught { try ServerURL("https://user:\(Planted.text)@id.example.com") },
            caught { try ServerURL("user:\(Planted.text)@id.example.com") },
            caught { try ServerURL("http://user:\(Planted.text)@id.example.com") },
            caught { try Discovery.url(.openIDConnect, issuer: issuer) },
            caught { try AuthorizationResponse(callbackURL: callback) },
            caught { try AuthorizationResponse(callbackURL: user) },
            caught { try CallbackURL(callback) },
            caught { try InsForgeCallback(callback, redirectURI: user) },
            caught { try JSONWebToken(Secret(Planted.token + "." + Planted.text)) },
            caught { try JSONWebToken(Planted.secret) },
            caught { try CodeVerifier(Secret(Planted.text + " ")) },
            caught { try SigningKey(jwk: Planted.secret) },
            caught {
                try ProviderRegistry([StaticTokenPlugin.self]).makeChain(
                    for: IdentityConfiguration(parsing: Data(document.utf8), variables: [:]), environment: environment)
            },
        ]
    }

    /// What `body` throws.
    private static func caught(_ body: () throws -> some Any) -> Any {
        do {
            _ = try body()
            return "nothing was thrown"
        } catch {
            return error
        }
    }
}
