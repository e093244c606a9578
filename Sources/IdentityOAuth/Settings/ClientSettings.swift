import Foundation
import IdentityKit

/// The client among the settings of a provider: who it is, how it proves that, and whether plain `http` to this machine
/// is accepted.
package struct ClientSettings: Decodable, Sendable {
    /// `nil` for a client that registers itself.
    package let id: String?
    private let isRegistering: Bool
    package let transportSecurity: TransportSecurity
    private let method: Method?
    private let secret: Secret?
    private let key: JSONValue?
    private let keyPath: String?
    private let keyFile: Data?
    private let keyID: String?
    private let secretIssuer: String?
    private let requestFormat: RequestFormat

    /// The ways to authenticate that a configuration can name.
    private enum Method: String, Decodable, CaseIterable {
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
        case signedSecret = "signed_client_secret"
    }

    private enum CodingKeys: String, CodingKey {
        case clientID, clientSecret, clientAuthentication, clientKey, clientKeyFile, clientKeyID, clientSecretIssuer
        case allowsLoopbackHTTP, registration, requestFormat
    }

    /// Reads what is there. ``client(audience:)`` checks it.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isRegistering = container.contains(.registration)
        id = try container.decodeTextIfPresent(forKey: .clientID)
        transportSecurity = TransportSecurity(
            allowsLoopbackHTTP: try container.decodeIfPresent(Bool.self, forKey: .allowsLoopbackHTTP) ?? false)
        method = try container.decodeIfPresent(Method.self, forKey: .clientAuthentication)
        secret = try container.decodeTextIfPresent(forKey: .clientSecret).map { Secret($0) }
        key = try container.decodeIfPresent(JSONValue.self, forKey: .clientKey)
        keyPath = try container.decodeTextIfPresent(forKey: .clientKeyFile)
        keyFile = keyPath.flatMap(decoder.contents)
        keyID = try container.decodeTextIfPresent(forKey: .clientKeyID)
        secretIssuer = try container.decodeTextIfPresent(forKey: .clientSecretIssuer)
        requestFormat =
            try container.decodeIfPresent(RequestFormat.self, forKey: .requestFormat) ?? RequestFormat()
    }

    /// The client; without an identifier, one that registers itself.
    /// - Parameters:
    ///   - audience: the issuer identifier, for which a client with a key makes its assertions.
    ///   - registers: whether it registers itself also when nothing is said about that.
    /// - Throws: `DecodingError` when identifier, secret, key and method do not go together.
    package func client(audience: String, orRegistering registers: Bool) throws -> OAuthClient {
        if let (key, advice) = requestFormat.mistake {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [CodingKeys.requestFormat, key],
                    debugDescription: advice))
        }
        var client = try standardClient(audience: audience, orRegistering: registers)
        client.requestFormat = requestFormat
        return client
    }

    private func standardClient(audience: String, orRegistering registers: Bool) throws -> OAuthClient {
        guard let id else {
            guard isRegistering || registers else { throw Self.missing(.clientID) }
            guard secret == nil, key == nil, keyPath == nil else {
                throw mistake(.clientSecret, "A client that registers itself gets its secret from the server.")
            }
            return .unregistered(transportSecurity)
        }
        guard !isRegistering else { throw mistake(.clientID, "Leave it out for a client that registers itself.") }
        return OAuthClient(
            id: id, authentication: try authentication(audience), transportSecurity: transportSecurity)
    }

    private func authentication(_ audience: String) throws -> ClientAuthentication {
        switch (secret, try signingKey, method) {
        case (nil, nil, nil): return .none
        case (let secret?, nil, .clientSecretBasic), (let secret?, nil, nil): return .clientSecretBasic(secret)
        case (let secret?, nil, .clientSecretPost): return .clientSecretPost(secret)
        case (nil, let key?, .privateKeyJWT), (nil, let key?, nil):
            return .privateKeyJWT(ClientAssertion(key: key, audience: audience))
        case (nil, let key?, .signedSecret):
            return .signedSecret(ClientAssertion(key: key, audience: audience, issuer: secretIssuer))
        case (nil, nil, .privateKeyJWT), (nil, nil, .signedSecret): throw Self.missing(.clientKey)
        case (nil, nil, .clientSecretBasic), (nil, nil, .clientSecretPost): throw Self.missing(.clientSecret)
        default: throw mistake(.clientAuthentication, "Give a secret or a key, and the method that goes with it.")
        }
    }

    private var signingKey: SigningKey? {
        get throws {
            guard key == nil || keyPath == nil else {
                throw mistake(.clientKeyFile, "Give the key or a file with it, not both.")
            }
            if let key { return try signingKey(from: JSONEncoder().encode(key), .clientKey) }
            guard let keyPath else { return nil }
            guard let keyFile else {
                throw mistake(.clientKeyFile, "There is no file at \(keyPath) that can be read.")
            }
            return try signingKey(from: keyFile, .clientKeyFile)
        }
    }

    private func signingKey(from encoded: Data, _ place: CodingKeys) throws -> SigningKey {
        let text = Secret(String(decoding: encoded, as: UTF8.self))
        do {
            if text.reveal().hasPrefix("-----BEGIN") { return try SigningKey(pem: text, keyID: keyID) }
            return try SigningKey(jwk: text)
        } catch {
            throw mistake(place, "It must be a private key as a JWK, or in PEM form for an elliptic curve.")
        }
    }

    private func mistake(_ key: CodingKeys, _ advice: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [key], debugDescription: advice))
    }

    private static func missing(_ key: CodingKeys) -> DecodingError {
        .keyNotFound(key, DecodingError.Context(codingPath: [], debugDescription: ""))
    }
}
