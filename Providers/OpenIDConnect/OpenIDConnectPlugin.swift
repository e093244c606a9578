import Foundation
import IdentityKit
import OAuthKit

/// Makes any OpenID Connect server available to configurations as the provider type `openid-connect`.
public enum OpenIDConnectPlugin: ProviderPlugin {
    /// `openid-connect`
    public static let type = "openid-connect"

    /// Builds a provider.
    public static func makeProvider(
        settings: OpenIDConnectSettings, context: ProviderContext
    ) throws -> any IdentityProvider {
        OpenIDConnectProvider(settings: settings, context: context)
    }
}

/// What an OpenID Connect provider needs to know. Everything else is discovered.
public struct OpenIDConnectSettings: Sendable {
    /// The issuer identifier, byte for byte as the server writes it.
    public var issuer: String
    /// The client identifier.
    public var clientID: String
    /// How the client proves who it is; a public client proves nothing.
    public var authentication: ClientAuthentication
    /// The scopes of a session. `openid` is always among them.
    public var scopes: [String]
    /// Where authorization answers are sent, exactly as registered. A browser sign-in needs it.
    public var redirectURI: URL?
    /// Where the browser returns after a sign-out at the server; `nil` to sign out without the browser.
    public var postLogoutRedirectURI: URL?
    /// How a user signs in.
    public var method: SignInMethod
    /// Whether plain `http` to this machine is accepted.
    public var transportSecurity: TransportSecurity

    /// How a user signs in.
    public enum SignInMethod: String, Sendable, Codable, CaseIterable {
        /// On the server's page, in a browser on this device.
        case browser
        /// On the server's page, on another device (RFC 8628).
        case device
    }

    /// What a session asks for when nothing else is said.
    public static let defaultScopes = ["openid", "profile", "email", "offline_access"]

    /// Settings made in code.
    public init(
        issuer: String, clientID: String, authentication: ClientAuthentication = .none,
        scopes: [String] = Self.defaultScopes, redirectURI: URL? = nil, postLogoutRedirectURI: URL? = nil,
        method: SignInMethod = .browser, transportSecurity: TransportSecurity = .httpsOnly
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.authentication = authentication
        self.scopes = scopes.contains("openid") ? scopes : ["openid"] + scopes
        self.redirectURI = redirectURI
        self.postLogoutRedirectURI = postLogoutRedirectURI
        self.method = method
        self.transportSecurity = transportSecurity
    }
}

extension OpenIDConnectSettings: Decodable {
    private enum CodingKeys: String, CodingKey {
        case issuer
        case clientID
        case clientSecret
        case clientAuthentication
        case scopes
        case redirectURI
        case postLogoutRedirectURI
        case signIn
        case allowsLoopbackHTTP
    }

    /// The ways to authenticate that a configuration can name.
    private enum SecretMethod: String, Decodable, CaseIterable {
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
    }

    /// Reads `issuer` and `clientID`, and optionally `clientSecret`, `clientAuthentication` (`client_secret_basic` or
    /// `client_secret_post`), `scopes`, `redirectURI`, `postLogoutRedirectURI`, `signIn` (`browser` or `device`) and
    /// `allowsLoopbackHTTP`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let allowsLoopbackHTTP = try container.decodeIfPresent(Bool.self, forKey: .allowsLoopbackHTTP) ?? false
        // Checked as an address, kept as it was written: the comparison with the server's own spelling is exact.
        _ = try container.decodeServerURL(forKey: .issuer, allowsLoopbackHTTP: allowsLoopbackHTTP)
        let secret = try container.decodeIfPresent(Secret.self, forKey: .clientSecret)
        let secretMethod = try container.decodeIfPresent(SecretMethod.self, forKey: .clientAuthentication)
        let authentication: ClientAuthentication =
            switch (secret, secretMethod) {
            case (nil, _): .none
            case (let secret?, .clientSecretPost): .clientSecretPost(secret)
            case (let secret?, _): .clientSecretBasic(secret)
            }
        let method = try container.decodeIfPresent(SignInMethod.self, forKey: .signIn) ?? .browser
        self.init(
            issuer: try container.decode(String.self, forKey: .issuer),
            clientID: try container.decode(String.self, forKey: .clientID), authentication: authentication,
            scopes: try container.decodeIfPresent([String].self, forKey: .scopes) ?? Self.defaultScopes,
            redirectURI: method == .browser
                ? try container.decode(URL.self, forKey: .redirectURI)
                : try container.decodeIfPresent(URL.self, forKey: .redirectURI),
            postLogoutRedirectURI: try container.decodeIfPresent(URL.self, forKey: .postLogoutRedirectURI),
            method: method,
            transportSecurity: allowsLoopbackHTTP ? .loopbackHTTPAllowed : .httpsOnly)
    }
}
