import Foundation
import IdentityKit

/// The settings of the client: its identifier, its authentication, the form of its requests, and whether `http` to this
/// machine is accepted.
package struct ClientSettings {
    /// The client identifier (`client_id`); `nil` for a client that registers itself.
    package let id: String?
    package let transportSecurity: TransportSecurity
    private let settings: SettingsReader
    private let isRegistering: Bool
    private let method: Method?
    private let secret: Secret?
    private let keySettings: ClientKeySettings
    private let secretIssuer: String?
    private let requestFormat: RequestFormat

    /// The authentication methods that a configuration can name.
    private enum Method: String, Decodable, CaseIterable {
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
        case clientSecretJWT = "client_secret_jwt"
        case privateKeyJWT = "private_key_jwt"
        case signedSecret = "signed_client_secret"
    }

    /// Reads the settings. ``client(audience:orRegistering:)`` checks that they fit together.
    /// - Throws: ``/IdentityKit/ConfigurationError``.
    package init(from settings: SettingsReader) throws {
        self.settings = settings
        isRegistering = settings.contains("registration")
        id = try settings.readIfPresent(
            "clientID", .text, means: "The client identifier; a client that registers itself has none.",
            example: "example-app", isUsual: true)
        transportSecurity = TransportSecurity(allowsLoopbackHTTP: try settings.allowsLoopbackHTTP())
        method = try settings.readIfPresent(
            "clientAuthentication",
            means:
                "How the client proves who it is; by default client_secret_basic with a secret, private_key_jwt with a key.",
            example: "client_secret_post", with: ["clientSecret": "${EXAMPLE_CLIENT_SECRET}"])
        secret = try settings.readIfPresent(
            "clientSecret", .text, means: "The client secret, of a client that can keep one.",
            example: "${EXAMPLE_CLIENT_SECRET}"
        ).map { Secret($0) }
        keySettings = try ClientKeySettings(from: settings)
        secretIssuer = try settings.readIfPresent(
            "clientSecretIssuer", .text,
            means: "In whose name a secret is signed, for signed_client_secret, as Apple wants it.",
            example: "ABCDE12345",
            with: [
                "clientSecret": .null, "clientAuthentication": "signed_client_secret",
                "clientKeyFile": "client-key.pem", "clientKeyID": "example-key",
            ])
        requestFormat = try settings.read(
            "requestFormat", means: "How the server wants requests where that differs from the RFCs.",
            example: ["encodesBasic": false], default: [:])
    }

    /// Creates the client. A client without an identifier must be allowed to register itself.
    /// - Parameters:
    ///   - audience: the issuer identifier, which becomes the audience of the client's assertions.
    ///   - registers: whether the client may register itself without the setting `registration`.
    /// - Throws: ``/IdentityKit/ConfigurationError`` when identifier, secret, key and method do not fit together, or the key
    ///   cannot be read or is unusable.
    package func client(audience: String, orRegistering registers: Bool) throws -> OAuthClient {
        var client = try standardClient(audience: audience, orRegistering: registers)
        client.requestFormat = requestFormat
        return client
    }

    private func standardClient(audience: String, orRegistering registers: Bool) throws -> OAuthClient {
        guard let id else {
            guard isRegistering || registers else { throw settings.missing("clientID") }
            guard secret == nil, !keySettings.hasKey else {
                throw settings.mistake(
                    "clientSecret", "A client that registers itself gets its secret from the server.")
            }
            return .unregistered(transportSecurity)
        }
        guard !isRegistering else {
            throw settings.mistake("clientID", "Leave it out for a client that registers itself.")
        }
        return OAuthClient(
            id: id, authentication: try authentication(audience), transportSecurity: transportSecurity)
    }

    private func authentication(_ audience: String) throws -> ClientAuthentication {
        switch (secret, try keySettings.signingKey, method) {
        case (nil, nil, nil): return .none
        case (let secret?, nil, .clientSecretBasic), (let secret?, nil, nil): return .clientSecretBasic(secret)
        case (let secret?, nil, .clientSecretPost): return .clientSecretPost(secret)
        case (let secret?, nil, .clientSecretJWT):
            guard secret.reveal().utf8.count >= ClientAssertion.shortestSecret else {
                throw settings.mistake(
                    "clientSecret",
                    "It signs for client_secret_jwt, which takes at least 32 bytes (RFC 7518 section 3.2).")
            }
            return .clientSecretJWT(ClientAssertion(secret: secret, audience: audience))
        case (nil, let key?, .privateKeyJWT), (nil, let key?, nil):
            return .privateKeyJWT(ClientAssertion(key: key, audience: audience))
        case (nil, let key?, .signedSecret):
            return .signedSecret(ClientAssertion(key: key, audience: audience, issuer: secretIssuer))
        case (nil, nil, .privateKeyJWT), (nil, nil, .signedSecret): throw settings.missing("clientKey")
        case (nil, nil, .clientSecretBasic), (nil, nil, .clientSecretPost), (nil, nil, .clientSecretJWT):
            throw settings.missing("clientSecret")
        default:
            throw settings.mistake(
                "clientAuthentication", "Give a secret or a key, and the method that goes with it.")
        }
    }
}

/// The settings of the client's private key: the key or the file with it, its identifier, and its algorithm.
private struct ClientKeySettings {
    private let settings: SettingsReader
    private let key: JSONValue?
    private let keyPath: String?
    private let keyID: String?
    private let keyAlgorithm: KeyAlgorithm?

    /// The signature algorithms that a configuration can name.
    private enum KeyAlgorithm: String, Decodable, CaseIterable {
        case rs256 = "RS256"
        case rs384 = "RS384"
        case rs512 = "RS512"
        case ps256 = "PS256"
        case ps384 = "PS384"
        case ps512 = "PS512"
        case es256 = "ES256"
        case es384 = "ES384"
        case es512 = "ES512"
        case edDSA = "EdDSA"
        case ed25519 = "Ed25519"
    }

    init(from settings: SettingsReader) throws {
        self.settings = settings
        key = try settings.readIfPresent(
            "clientKey", means: "The client's private key as a JWK, in the place of a secret.",
            example: [
                "kty": "EC", "crv": "P-256", "kid": "example", "x": "mcemhkupClRkCf6WQ_rwfdYWkZwka2XK-KBBjtRdsnM",
                "y": "3C4zOOCngontUNjv1966eLpgdT_6_QA0Y1tGMKd-zQY", "d": "${EXAMPLE_KEY_D}",
            ], with: ["clientSecret": .null])
        keyPath = try settings.readIfPresent(
            "clientKeyFile", .text,
            means: "The path of a file with the client's private key, as a JWK or in PEM form.",
            example: "client-key.pem", with: ["clientSecret": .null, "clientKeyID": "example-key"])
        keyID = try settings.readIfPresent(
            "clientKeyID", .text, means: "The identifier of a key in PEM form, as the server knows it.",
            example: "example-key", with: ["clientSecret": .null, "clientKeyFile": "client-key.pem"])
        keyAlgorithm = try settings.readIfPresent(
            "clientKeyAlgorithm",
            means:
                "How the key signs, where its type allows several ways; by default the alg of a JWK, or RS256 for RSA.",
            example: "ES256",
            with: ["clientSecret": .null, "clientKeyFile": "client-key.pem", "clientKeyID": "example-key"])
    }

    var hasKey: Bool { key != nil || keyPath != nil }

    /// The key that signs the client's assertions; `nil` for a client without a key.
    /// - Throws: ``/IdentityKit/ConfigurationError`` if both the key and a file with it are set, for an algorithm without a
    ///   key, and for a file that cannot be read or an unusable key.
    var signingKey: SigningKey? {
        get throws {
            guard key == nil || keyPath == nil else {
                throw settings.mistake("clientKeyFile", "Give the key or a file with it, not both.")
            }
            if let key { return try signingKey(from: JSONEncoder().encode(key), "clientKey") }
            guard let keyPath else {
                if keyAlgorithm != nil { throw settings.mistake("clientKeyAlgorithm", "It goes with a key.") }
                return nil
            }
            guard let file = settings.decoder.contents(of: keyPath) else {
                throw settings.mistake("clientKeyFile", "There is no file at \(keyPath) that can be read.")
            }
            return try signingKey(from: file, "clientKeyFile")
        }
    }

    private func signingKey(from encoded: Data, _ place: String) throws -> SigningKey {
        let text = Secret(String(decoding: encoded, as: UTF8.self))
        let algorithm = keyAlgorithm.map { SigningAlgorithm(rawValue: $0.rawValue) }
        do {
            if text.reveal().contains("-----BEGIN ") {
                return try SigningKey(pem: text, keyID: keyID, algorithm: algorithm)
            }
            return try SigningKey(jwk: text, algorithm: algorithm)
        } catch OAuthError.invalidSetting(.weakKey) {
            throw settings.mistake(place, InvalidSettingReason.weakKey.message)
        } catch {
            throw settings.mistake(
                place,
                "It must be a private key as a JWK, or in PEM form for an elliptic curve or RSA, without a password"
                    + (keyAlgorithm.map { ", that signs by \($0.rawValue)" } ?? "") + ".")
        }
    }
}
