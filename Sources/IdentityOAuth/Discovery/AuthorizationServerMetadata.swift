import Foundation
import IdentityKit

/// A server's metadata (OpenID Connect Discovery section 3, RFC 8414 section 2).
///
/// The document is kept as it was received, with unknown members; decoding a stored one checks it again. An empty
/// endpoint counts as absent. An endpoint with an unacceptable address is ignored, unless it is essential: then the
/// whole document is invalid.
public struct AuthorizationServerMetadata: Sendable {
    /// An endpoint, by the name of its member in the document.
    public enum Endpoint: String, Sendable, Codable, CodingKey, CaseIterable {
        /// The endpoint at which the browser signs in.
        case authorization = "authorization_endpoint"
        /// The token endpoint (RFC 6749 section 3.2); `nil` at a server with the implicit flow only.
        case token = "token_endpoint"
        /// The server's public keys.
        case jwks = "jwks_uri"
        /// Claims about the person (OpenID Connect Core section 5.3).
        case userinfo = "userinfo_endpoint"
        /// The endpoint that revokes tokens (RFC 7009).
        case revocation = "revocation_endpoint"
        /// The endpoint that looks up tokens (RFC 7662).
        case introspection = "introspection_endpoint"
        /// The endpoint at which the browser signs out (OpenID Connect RP-Initiated Logout).
        case endSession = "end_session_endpoint"
        /// The endpoint that starts the device flow (RFC 8628).
        case deviceAuthorization = "device_authorization_endpoint"
        /// The endpoint that takes pushed authorization requests (RFC 9126).
        case pushedAuthorizationRequest = "pushed_authorization_request_endpoint"
        /// The endpoint at which clients register themselves (RFC 7591).
        case registration = "registration_endpoint"

        /// Whether a sign-in is impossible without this endpoint.
        var isEssential: Bool { [.authorization, .token, .jwks].contains(self) }
    }

    /// Every member of the document.
    public let members: [String: JSONValue]
    /// The issuer identifier, byte for byte as the server writes it.
    public let issuer: String
    private let transportSecurity: TransportSecurity

    /// Reads a metadata document.
    /// - Parameters:
    ///   - members: the document's members.
    ///   - transportSecurity: which endpoint addresses are acceptable.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when the issuer is missing, or the authorization endpoint, the token
    ///   endpoint or the address of the keys is no acceptable URL.
    package init(members: [String: JSONValue], transportSecurity: TransportSecurity = .httpsOnly) throws {
        guard let issuer = members["issuer"]?.stringValue else {
            throw OAuthError.invalidMetadata(.missingEndpoint(member: "issuer"))
        }
        self.members = members
        self.issuer = issuer
        self.transportSecurity = transportSecurity
        for endpoint in Endpoint.allCases where endpoint.isEssential { _ = try checkedURL(endpoint.rawValue) }
    }

    /// The endpoint at which the browser signs in.
    package var authorizationEndpoint: URL? { url(.authorization) }
    /// The endpoint that exchanges codes and refresh tokens.
    package var tokenEndpoint: URL? { url(.token) }
    /// The server's public keys.
    package var jwksURI: URL? { url(.jwks) }
    /// Claims about the person (OpenID Connect Core section 5.3).
    package var userinfoEndpoint: URL? { url(.userinfo) }
    /// The endpoint that revokes tokens (RFC 7009).
    package var revocationEndpoint: URL? { url(.revocation) }
    /// The endpoint that looks up tokens (RFC 7662).
    package var introspectionEndpoint: URL? { url(.introspection) }
    /// The endpoint at which the browser signs out (OpenID Connect RP-Initiated Logout).
    package var endSessionEndpoint: URL? { url(.endSession) }
    /// The endpoint that starts the device flow (RFC 8628).
    package var deviceAuthorizationEndpoint: URL? { url(.deviceAuthorization) }
    /// The endpoint that takes pushed authorization requests (RFC 9126).
    package var pushedAuthorizationRequestEndpoint: URL? { url(.pushedAuthorizationRequest) }

    /// The endpoint at which clients register themselves (RFC 7591).
    package var registrationEndpoint: URL? { url(.registration) }

    /// Whether a client may be named by the address of a document that describes it (OAuth Client ID Metadata Document).
    package var takesClientMetadataDocuments: Bool { flag("client_id_metadata_document_supported") }
    /// Whether the server accepts pushed authorization requests only (RFC 9126 section 5).
    package var requiresPushedAuthorizationRequests: Bool { flag("require_pushed_authorization_requests") }
    /// Whether the server accepts signed authorization requests only (RFC 9101 section 10.5).
    package var requiresSignedAuthorizationRequests: Bool { flag("require_signed_request_object") }
    /// Whether every authorization response names its issuer (RFC 9207 section 3).
    package var sendsIssuerInAuthorizationResponse: Bool { flag("authorization_response_iss_parameter_supported") }

    /// The scopes the server mentions; it may know more.
    package var scopesSupported: [String]? { strings("scopes_supported") }
    /// The grants; authorization code and implicit when the document does not say (RFC 8414 section 2).
    package var grantTypesSupported: [GrantType]? { words("grant_types_supported") }
    /// The ways a client may authenticate; `client_secret_basic` when the document does not say.
    package var tokenEndpointAuthMethodsSupported: [ClientAuthenticationMethod]? {
        words("token_endpoint_auth_methods_supported")
    }
    /// The PKCE methods, such as `S256` (RFC 7636).
    package var codeChallengeMethodsSupported: [String]? { strings("code_challenge_methods_supported") }

    /// The endpoint for a sign-in that the person confirms on a device of theirs (OpenID Connect CIBA Core section 4).
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when the server has none, or none that is an acceptable address.
    func backchannelEndpoint() throws -> URL { try endpoint(named: "backchannel_authentication_endpoint") }

    /// The address of an endpoint that the caller requires.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when the server has none, or none that is an acceptable address.
    package func endpoint(_ endpoint: Endpoint) throws -> URL { try self.endpoint(named: endpoint.rawValue) }

    private func endpoint(named name: String) throws -> URL {
        guard let url = try checkedURL(name) else {
            throw OAuthError.invalidMetadata(.missingEndpoint(member: name))
        }
        return url
    }

    /// A copy with the members of `other` that this document lacks or that are unusable here.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when the two are of different issuers.
    package func completed(
        by other: AuthorizationServerMetadata, transportSecurity: TransportSecurity = .httpsOnly
    ) throws -> AuthorizationServerMetadata {
        try other.requireIssuer(issuer)
        return try AuthorizationServerMetadata(
            members: members.filter { member in Endpoint(rawValue: member.key).map { url($0) != nil } ?? true }
                .merging(other.members) { own, _ in own },
            transportSecurity: transportSecurity)
    }

    func requireIssuer(_ expected: String) throws {
        guard issuer.hasBytes(of: expected) else {
            throw OAuthError.invalidMetadata(.issuerMismatch(expected: expected, received: issuer))
        }
    }

    /// Checks that the server supports the code challenges of this library.
    /// - Parameters:
    ///   - isUsed: whether code challenges are sent.
    ///   - mustBeAnnounced: whether to refuse a server whose metadata names no methods.
    /// - Throws: ``OAuthError/invalidMetadata(_:)``, instead of a sign-in that is less protected than it looks.
    func requireCodeChallenge(if isUsed: Bool, announced mustBeAnnounced: Bool) throws {
        guard isUsed else { return }
        guard let methods = codeChallengeMethodsSupported ?? (mustBeAnnounced ? [] : nil) else { return }
        guard methods.contains(CodeVerifier.codeChallengeMethod) else {
            throw OAuthError.invalidMetadata(.missingCodeChallengeMethod)
        }
    }

    private func url(_ endpoint: Endpoint) -> URL? { try? checkedURL(endpoint.rawValue) }

    /// The address of an endpoint; `nil` when it is absent, `null` or empty.
    private func checkedURL(_ name: String) throws -> URL? {
        guard let value = members[name], value != .null, value != "" else { return nil }
        guard let url = value.stringValue.flatMap(URL.init(string:)), url.host != nil else {
            throw OAuthError.invalidMetadata(.invalidEndpoint(member: name))
        }
        guard transportSecurity.allows(url) else {
            throw OAuthError.invalidMetadata(.insecureEndpoint(member: name))
        }
        return url
    }

    private func flag(_ name: String) -> Bool {
        members[name]?.boolValue ?? false
    }

    private func strings(_ name: String) -> [String]? {
        members[name]?.arrayValue?.compactMap(\.stringValue)
    }

    func words<Word: OpenEnum>(_ name: String) -> [Word]? {
        strings(name)?.map(Word.init(rawValue:))
    }
}

extension String {
    /// Whether two issuers differ only by a slash at the end, so that their metadata is at the same address.
    func isSameIssuer(as other: String) -> Bool {
        withoutFinalSlash.hasBytes(of: other.withoutFinalSlash)
    }

    private var withoutFinalSlash: String {
        utf8.last == UInt8(ascii: "/") ? String(decoding: utf8.dropLast(), as: UTF8.self) : self
    }
}

extension AuthorizationServerMetadata: Hashable {
    /// Compares the documents, not the transport security that they were read with.
    public static func == (one: AuthorizationServerMetadata, other: AuthorizationServerMetadata) -> Bool {
        one.members == other.members
    }

    /// Hashes the document.
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension AuthorizationServerMetadata: Codable {
    /// Decodes a stored document. Its endpoints were checked when it was fetched, and every request checks its own
    /// again, so `http` on this machine is accepted here.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.singleValueContainer().decode([String: JSONValue].self)
        try self.init(members: members, transportSecurity: .loopbackHTTPAllowed)
    }

    /// Encodes the document as it came.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }
}

extension AuthorizationServerMetadata: CustomReflectable {
    /// Shows the names of the members without their values.
    public var customMirror: Mirror {
        Mirror(self, showing: ["issuer": issuer.addressAlone, "members": members.namesAlone])
    }
}
