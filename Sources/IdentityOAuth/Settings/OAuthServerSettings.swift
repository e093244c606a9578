import Foundation
import IdentityKit

/// The settings that the provider types of OAuth servers share: client, sign-in, and what the server wants beyond the
/// protocol. A type reads them beside its own.
package struct OAuthServerSettings: Decodable, Sendable {
    /// The scopes; `nil` where none are given.
    package let scopes: [String]?
    /// Where authorization responses are sent. A sign-in in the browser has one.
    package let redirectURI: URL?
    /// Where the browser returns after a sign-out at the server.
    package let postLogoutRedirectURI: URL?
    package let method: OAuthServer.SignInMethod
    /// Whether and how the server may talk to the person; `nil` where nothing is said.
    package let prompt: [Prompt]?
    /// What every sign-in asks for beyond the scopes.
    package let options: AuthorizationOptions
    /// What the server wants in authorization requests beyond the protocol.
    package let authorizationParameters: [String: String]
    /// What the server wants in token requests beyond the protocol.
    package let tokenParameters: [String: String]
    /// Whether authorization requests are pushed; `nil` where nothing is said.
    package let pushesAuthorizationRequests: Bool?
    /// Whether authorization requests are signed although the server does not require it.
    package let signsAuthorizationRequests: Bool
    package let bindsTokens: Bool
    /// Whether a refresh token may be sent again.
    package let replay: ReplayPolicy
    package let tokenResponseFormat: TokenResponseFormat
    /// What is between scopes in requests.
    package let scopeSeparator: String
    package var endpoints: [AuthorizationServerMetadata.Endpoint: URL] { endpointSettings.endpoints }
    private let endpointSettings: EndpointSettings
    /// How the client gets an identifier; `nil` for one that has it.
    package let registration: ClientRegistration?
    /// Whether plain `http` to this machine is accepted.
    package var transportSecurity: TransportSecurity { clientSettings.transportSecurity }
    private let clientSettings: ClientSettings

    /// Puts into `server` what is the same for every type.
    package func apply(to server: inout OAuthServer) {
        server.redirectURI = redirectURI
        server.postLogoutRedirectURI = postLogoutRedirectURI
        server.method = method
        server.options = options
        server.authorizationParameters = authorizationParameters.fields
        server.tokenParameters = tokenParameters.fields
        server.pushesAuthorizationRequests = pushesAuthorizationRequests
        server.signsAuthorizationRequests = signsAuthorizationRequests
        server.bindsTokens = bindsTokens
        server.replay = replay
        server.tokenResponseFormat = tokenResponseFormat
        server.scopeSeparator = scopeSeparator
        server.registration = registration
    }

    private enum CodingKeys: String, CodingKey {
        case scopes, redirectURI, postLogoutRedirectURI, signIn, prompt, authorizationParameters
        case tokenParameters, pushesAuthorizationRequests, signsAuthorizationRequests, bindsTokens
        case endpoints, registration, replay, tokenResponse, scopeSeparator
        case uiLocales, acrValues, maxAge, resources, authorizationDetails
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        clientSettings = try ClientSettings(from: decoder)
        scopes = try container.decodeIfPresent([String].self, forKey: .scopes)
        method = try container.decodeIfPresent(OAuthServer.SignInMethod.self, forKey: .signIn) ?? .browser
        redirectURI = try container.decodeIfPresent(URL.self, forKey: .redirectURI)
        postLogoutRedirectURI = try container.decodeIfPresent(URL.self, forKey: .postLogoutRedirectURI)
        prompt = try container.decodeIfPresent([String].self, forKey: .prompt)?.map(Prompt.init(rawValue:))
        options = try AuthorizationOptions(from: decoder)
        authorizationParameters =
            try container.decodeIfPresent([String: String].self, forKey: .authorizationParameters) ?? [:]
        tokenParameters = try container.decodeIfPresent([String: String].self, forKey: .tokenParameters) ?? [:]
        pushesAuthorizationRequests = try container.decodeIfPresent(Bool.self, forKey: .pushesAuthorizationRequests)
        signsAuthorizationRequests =
            try container.decodeIfPresent(Bool.self, forKey: .signsAuthorizationRequests) ?? false
        bindsTokens = try container.decodeIfPresent(Bool.self, forKey: .bindsTokens) ?? false
        replay = try container.decodeIfPresent(ReplayPolicy.self, forKey: .replay) ?? .never
        tokenResponseFormat =
            try container.decodeIfPresent(TokenResponseFormat.self, forKey: .tokenResponse) ?? TokenResponseFormat()
        scopeSeparator =
            try container.decodeIfPresent(ScopeSeparator.self, forKey: .scopeSeparator)?.rawValue ?? " "
        registration = try container.decodeIfPresent(ClientRegistration.self, forKey: .registration)
        endpointSettings =
            try container.decodeIfPresent(EndpointSettings.self, forKey: .endpoints) ?? EndpointSettings()
    }

    /// Reports a mistake when the configuration is read, not at the first sign-in. A type calls this when it has read
    /// everything, so that the schema, which is made by reading, knows every setting.
    /// - Parameters:
    ///   - issuer: the issuer identifier; `nil` where a resource names it. Then the client may register itself and return
    ///     to this machine, without a word in the configuration.
    /// - Returns: the client.
    /// - Throws: `DecodingError`.
    package func checked(at issuer: String?) throws -> OAuthClient {
        func mistake(_ path: [any CodingKey], _ description: String) -> DecodingError {
            .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: description))
        }
        func check(_ key: CodingKeys, _ check: () throws -> Void) throws {
            do {
                try check()
            } catch let error as OAuthError {
                throw mistake([key], error.message)
            }
        }
        try SettingRules.check(scopes: scopes, at: CodingKeys.scopes)
        try SettingRules.check(redirectURI: redirectURI, at: CodingKeys.redirectURI)
        try SettingRules.check(redirectURI: postLogoutRedirectURI, at: CodingKeys.postLogoutRedirectURI)
        let client = try clientSettings.client(audience: issuer ?? "", orRegistering: issuer == nil)
        guard redirectURI != nil || method == .device || issuer == nil else {
            throw DecodingError.keyNotFound(
                CodingKeys.redirectURI, DecodingError.Context(codingPath: [], debugDescription: ""))
        }
        if let document = registration?.metadataDocument, !transportSecurity.allows(document) {
            throw mistake([CodingKeys.registration], "metadataDocument must be an absolute https address.")
        }
        if signsAuthorizationRequests, client.authentication.method != .privateKeyJWT {
            throw mistake(
                [CodingKeys.signsAuthorizationRequests], "Give clientKey or clientKeyFile, with private_key_jwt.")
        }
        try SettingRules.check(prompt: prompt, at: CodingKeys.prompt)
        try check(.prompt) { try Prompt.check(prompt ?? []) }
        try check(.uiLocales) { try options.checkLocales() }
        try check(.acrValues) { try options.checkACRValues() }
        if let maxAge = options.maxAge, maxAge < 0 { throw mistake([CodingKeys.maxAge], "Write 0 or more seconds.") }
        try check(.resources) { try options.checkResources() }
        try check(.authorizationDetails) { try options.checkDetails() }
        try check(.authorizationParameters) {
            try AuthorizationRequest.checkExtraParameters(authorizationParameters.fields)
        }
        try check(.tokenParameters) { try TokenRequest.checkExtraParameters(tokenParameters.fields) }
        try endpointSettings.check(transportSecurity, at: [CodingKeys.endpoints])
        return client
    }
}

extension KeyedDecodingContainer {
    /// An issuer identifier: checked as an address, kept as it was written, because the comparison with the server's own
    /// spelling is exact.
    /// - Throws: `DecodingError`.
    package func decodeIssuer(forKey key: Key, _ security: TransportSecurity) throws -> String {
        _ = try decodeServerURL(forKey: key, allowsLoopbackHTTP: security == .loopbackHTTPAllowed)
        let issuer = try decode(String.self, forKey: key)
        try SettingRules.check(issuer: issuer, at: key)
        return issuer
    }
}

extension [String: String] {
    /// The parameters in an order that does not change.
    package var fields: [FormField] { sorted { $0.key < $1.key }.map { FormField($0.key, $0.value) } }
}
