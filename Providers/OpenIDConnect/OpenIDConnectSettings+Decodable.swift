import Foundation
import IdentityKit
import OAuthKit

extension OpenIDConnectSettings: Decodable {
    private enum CodingKeys: String, CodingKey {
        case issuer, clientID, clientSecret, clientAuthentication, clientKey, clientKeyFile
        case scopes, redirectURI, postLogoutRedirectURI, signIn, allowsLoopbackHTTP, prompt
        case authorizationParameters, tokenParameters, pushesAuthorizationRequests, endpoints, trustedCertificates
    }

    /// Reads `issuer` and `clientID`, and optionally `scopes`, `redirectURI`, `postLogoutRedirectURI`, `signIn`
    /// (`browser` or `device`), `allowsLoopbackHTTP` and `trustedCertificates`.
    ///
    /// A confidential client has `clientSecret`, with `clientAuthentication` (`client_secret_basic` or
    /// `client_secret_post`) as it likes, or a private key for `private_key_jwt`: a JWK in `clientKey`, or the path of a
    /// file with one in `clientKeyFile`.
    ///
    /// For servers that want more: `prompt`, a list of words that replaces the `consent` asked for with `offline_access`;
    /// `authorizationParameters` and `tokenParameters`, objects of texts; `pushesAuthorizationRequests`; and `endpoints`,
    /// an object of addresses by their names in the server's metadata, such as `token_endpoint`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let allowsLoopbackHTTP = try container.decodeIfPresent(Bool.self, forKey: .allowsLoopbackHTTP) ?? false
        // Checked as an address, kept as it was written: the comparison with the server's own spelling is exact.
        _ = try container.decodeServerURL(forKey: .issuer, allowsLoopbackHTTP: allowsLoopbackHTTP)
        let issuer = try container.decode(String.self, forKey: .issuer)
        let method = try container.decodeIfPresent(SignInMethod.self, forKey: .signIn) ?? .browser
        self.init(
            issuer: issuer, clientID: try container.decode(String.self, forKey: .clientID),
            scopes: try container.decodeIfPresent([String].self, forKey: .scopes) ?? Self.defaultScopes,
            redirectURI: method == .browser
                ? try container.decode(URL.self, forKey: .redirectURI)
                : try container.decodeIfPresent(URL.self, forKey: .redirectURI),
            postLogoutRedirectURI: try container.decodeIfPresent(URL.self, forKey: .postLogoutRedirectURI),
            method: method,
            transportSecurity: TransportSecurity(allowsLoopbackHTTP: allowsLoopbackHTTP),
            prompt: try container.decodeIfPresent([String].self, forKey: .prompt)?.map(Prompt.init(rawValue:)))
        let authorizationParameters = try container.decodeIfPresent(
            [String: String].self, forKey: .authorizationParameters)
        self.authorizationParameters = authorizationParameters ?? [:]
        tokenParameters = try container.decodeIfPresent([String: String].self, forKey: .tokenParameters) ?? [:]
        pushesAuthorizationRequests =
            try container.decodeIfPresent(Bool.self, forKey: .pushesAuthorizationRequests) ?? false
        endpoints = try container.decodeIfPresent(EndpointOverrides.self, forKey: .endpoints)?.endpoints ?? [:]
        // Checked when everything was read, so that the schema, which is made by reading, knows every setting.
        authentication = try Self.clientAuthentication(in: container, decoder, issuer: issuer)
        try checkParameters(in: container)
        try checkEndpoints(in: container)
        // Last: on Linux this throws, and the schema, which is made by decoding, must know every other setting by then.
        trustedCertificates = try container.decodeIfPresent(TrustedCertificates.self, forKey: .trustedCertificates)
    }

    /// The addresses of endpoints under their names in metadata.
    private struct EndpointOverrides: Decodable {
        let endpoints: [AuthorizationServerMetadata.Endpoint: URL]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AuthorizationServerMetadata.Endpoint.self)
            endpoints = try AuthorizationServerMetadata.Endpoint.allCases.reduce(into: [:]) { endpoints, endpoint in
                endpoints[endpoint] = try container.decodeIfPresent(URL.self, forKey: endpoint)
            }
        }
    }

    /// Reports a mistake when the configuration is read, not at the first sign-in.
    private func checkParameters(in container: KeyedDecodingContainer<CodingKeys>) throws {
        func check(_ key: CodingKeys, _ check: () throws -> Void) throws {
            do {
                try check()
            } catch let error as OAuthError {
                throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: error.message)
            }
        }
        try check(.prompt) { try Prompt.check(prompt ?? []) }
        try check(.authorizationParameters) {
            try AuthorizationRequest.checkExtraParameters(authorizationParameters.fields)
        }
        try check(.tokenParameters) { try TokenRequest.checkExtraParameters(tokenParameters.fields) }
    }

    private func checkEndpoints(in container: KeyedDecodingContainer<CodingKeys>) throws {
        for (endpoint, url) in endpoints where !transportSecurity.allows(url) {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: container.codingPath + [CodingKeys.endpoints, endpoint],
                    debugDescription: "It must be an absolute https address."))
        }
    }

    private static func clientAuthentication(
        in container: KeyedDecodingContainer<CodingKeys>, _ decoder: any Decoder, issuer: String
    ) throws -> ClientAuthentication {
        let method = try container.decodeIfPresent(NamedMethod.self, forKey: .clientAuthentication)
        let secret = try container.decodeIfPresent(Secret.self, forKey: .clientSecret)
        let key = try clientKey(in: container, decoder)
        switch (secret, key, method) {
        case (nil, nil, nil): return .none
        case (let secret?, nil, .clientSecretBasic), (let secret?, nil, nil): return .clientSecretBasic(secret)
        case (let secret?, nil, .clientSecretPost): return .clientSecretPost(secret)
        case (nil, let key?, .privateKeyJWT), (nil, let key?, nil):
            return .privateKeyJWT(ClientAssertion(key: key, audience: issuer))
        case (nil, nil, .privateKeyJWT): throw missing(.clientKey)
        case (nil, nil, .clientSecretBasic), (nil, nil, .clientSecretPost): throw missing(.clientSecret)
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .clientAuthentication, in: container,
                debugDescription: "Give a secret or a key, and the method that goes with it.")
        }
    }

    /// The ways to authenticate that a configuration can name.
    private enum NamedMethod: String, Decodable, CaseIterable {
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
    }

    private static func missing(_ key: CodingKeys) -> DecodingError {
        .keyNotFound(key, .init(codingPath: [], debugDescription: ""))
    }

    private static func clientKey(
        in container: KeyedDecodingContainer<CodingKeys>, _ decoder: any Decoder
    ) throws -> SigningKey? {
        let jwk = try container.decodeIfPresent(JSONValue.self, forKey: .clientKey)
        let path = try container.decodeIfPresent(String.self, forKey: .clientKeyFile)
        if let jwk {
            guard path == nil else {
                throw DecodingError.dataCorruptedError(
                    forKey: .clientKeyFile, in: container, debugDescription: "Give the key or a file with it, not both."
                )
            }
            return try signingKey(from: JSONEncoder().encode(jwk), .clientKey, container)
        }
        guard let path else { return nil }
        guard let file = decoder.contents(of: path) else {
            throw DecodingError.dataCorruptedError(
                forKey: .clientKeyFile, in: container, debugDescription: "There is no file at \(path) that can be read."
            )
        }
        return try signingKey(from: file, .clientKeyFile, container)
    }

    private static func signingKey(
        from jwk: Data, _ place: CodingKeys, _ container: KeyedDecodingContainer<CodingKeys>
    ) throws -> SigningKey {
        do {
            return try SigningKey(jwk: Secret(String(decoding: jwk, as: UTF8.self)))
        } catch {
            throw DecodingError.dataCorruptedError(
                forKey: place, in: container, debugDescription: "It must be a private key in JWK form.")
        }
    }
}
