import Foundation
import IdentityKit

/// A server's metadata (OpenID Connect Discovery section 3, RFC 8414 section 2).
///
/// The document is kept as it was received, including unknown members. Decoding a stored document checks it again. An empty
/// endpoint counts as absent. If the address of the authorization endpoint, the token endpoint or the keys is unacceptable, the
/// whole document is invalid. Any other endpoint with an unacceptable address is ignored.
package struct AuthorizationServerMetadata: Sendable {
    package typealias Endpoint = ServerEndpoint

    /// All members of the document, including those that this version does not know.
    package let members: [String: JSONValue]
    /// The issuer identifier, byte for byte as the server writes it.
    package let issuer: String
    /// Whether a temporary failure prevented reading another document of the server, which may have more endpoints.
    var mayBeIncomplete = false
    private let transportSecurity: TransportSecurity

    /// Reads a metadata document.
    /// - Parameters:
    ///   - members: the document's members.
    ///   - transportSecurity: which endpoint addresses are acceptable.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when the issuer is missing, or when the authorization endpoint, the
    ///   token endpoint or the address of the keys is present but not an acceptable URL.
    package init(members: [String: JSONValue], transportSecurity: TransportSecurity = .httpsOnly) throws {
        guard let issuer = members["issuer"]?.stringValue else {
            throw OAuthError.invalidMetadata(.missingEndpoint(member: "issuer"))
        }
        self.members = members
        self.issuer = issuer
        self.transportSecurity = transportSecurity
        for endpoint in Endpoint.allCases where endpoint.isEssential { _ = try checkedURL(endpoint.rawValue) }
    }

    /// The authorization endpoint; like each endpoint below, `nil` when it is absent or its address is unacceptable.
    package var authorizationEndpoint: URL? { url(.authorization) }
    package var tokenEndpoint: URL? { url(.token) }
    package var jwksURI: URL? { url(.jwks) }
    package var userinfoEndpoint: URL? { url(.userinfo) }
    package var revocationEndpoint: URL? { url(.revocation) }
    package var introspectionEndpoint: URL? { url(.introspection) }
    package var endSessionEndpoint: URL? { url(.endSession) }
    package var deviceAuthorizationEndpoint: URL? { url(.deviceAuthorization) }
    package var pushedAuthorizationRequestEndpoint: URL? { url(.pushedAuthorizationRequest) }

    package var registrationEndpoint: URL? { url(.registration) }

    /// Whether the server accepts, as a client identifier, the URL of a document that describes the client (OAuth
    /// Client ID Metadata Document).
    package var takesClientMetadataDocuments: Bool { flag("client_id_metadata_document_supported") }
    /// Whether the server accepts pushed authorization requests only (RFC 9126 section 5).
    package var requiresPushedAuthorizationRequests: Bool { flag("require_pushed_authorization_requests") }
    /// Whether the server accepts signed authorization requests only (RFC 9101 section 10.5).
    package var requiresSignedAuthorizationRequests: Bool { flag("require_signed_request_object") }
    /// Whether every authorization response has the parameter `iss` (RFC 9207 section 3).
    package var sendsIssuerInAuthorizationResponse: Bool { flag("authorization_response_iss_parameter_supported") }

    /// The scopes in the document; `nil` when it has no list. The server may support further scopes (RFC 8414 section 2).
    package var scopesSupported: [String]? { strings("scopes_supported") }
    /// The grant types in the document; `nil` when it has no list, which means authorization code and implicit (RFC
    /// 8414 section 2).
    package var grantTypesSupported: [GrantType]? { words("grant_types_supported") }
    /// The client authentication methods in the document; `nil` when it has no list, which means `client_secret_basic`
    /// (RFC 8414 section 2).
    package var tokenEndpointAuthMethodsSupported: [ClientAuthenticationMethod]? {
        words("token_endpoint_auth_methods_supported")
    }
    /// The PKCE methods in the document, such as `S256` (RFC 7636); `nil` when it has no list.
    package var codeChallengeMethodsSupported: [String]? { strings("code_challenge_methods_supported") }

    /// Returns the endpoint for a sign-in that the person confirms on their own device (OpenID Connect CIBA Core
    /// section 4).
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when the document has no such endpoint, or its address is
    ///   unacceptable.
    func backchannelEndpoint() throws -> URL { try endpoint(named: "backchannel_authentication_endpoint") }

    /// Returns the address of an endpoint that the caller requires.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when the document has no such endpoint, or its address is
    ///   unacceptable.
    package func endpoint(_ endpoint: Endpoint) throws -> URL { try self.endpoint(named: endpoint.rawValue) }

    private func endpoint(named name: String) throws -> URL {
        guard let url = try checkedURL(name) else {
            throw OAuthError.invalidMetadata(.missingEndpoint(member: name))
        }
        return url
    }

    /// Returns a copy with additional members from `other`: those that are absent or `null` in this document, and
    /// endpoints that have no acceptable address here.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when the two documents are of different issuers, or
    ///   `transportSecurity` refuses the authorization endpoint, the token endpoint or the address of the keys.
    package func completed(
        by other: AuthorizationServerMetadata, transportSecurity: TransportSecurity = .httpsOnly
    ) throws -> AuthorizationServerMetadata {
        try other.requireIssuer(issuer)
        var completed = try AuthorizationServerMetadata(
            members: members.filter { member in
                Endpoint(rawValue: member.key).map { url($0) != nil } ?? (member.value != .null)
            }
            .merging(other.members) { own, _ in own },
            transportSecurity: transportSecurity)
        completed.mayBeIncomplete = mayBeIncomplete || other.mayBeIncomplete
        return completed
    }

    func requireIssuer(_ expected: String) throws {
        guard issuer.hasBytes(of: expected) else {
            throw OAuthError.invalidMetadata(.issuerMismatch(expected: expected, received: issuer))
        }
    }

    /// Checks that the server supports code challenges of the method `S256`, the only method that this library uses.
    /// - Parameters:
    ///   - isUsed: whether code challenges are sent; without them nothing is checked.
    ///   - mustBeAnnounced: whether to refuse a server whose metadata has no list of methods.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when the list lacks `S256`, or a required list is absent. A server
    ///   without `S256` may ignore the challenge, which would then protect nothing.
    func requireCodeChallenge(if isUsed: Bool, announced mustBeAnnounced: Bool) throws {
        guard isUsed else { return }
        guard let methods = codeChallengeMethodsSupported ?? (mustBeAnnounced ? [] : nil) else { return }
        guard methods.contains(CodeVerifier.codeChallengeMethod) else {
            throw OAuthError.invalidMetadata(.missingCodeChallengeMethod)
        }
    }

    private func url(_ endpoint: Endpoint) -> URL? { try? checkedURL(endpoint.rawValue) }

    /// Returns the address of an endpoint; `nil` when its member is absent, `null` or empty.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` for anything but an absolute URL that ``transportSecurity`` allows.
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
    /// Whether this issuer equals `other` apart from a slash at the end. The metadata of both is at the same address.
    func isSameIssuer(as other: String) -> Bool {
        withoutFinalSlash.hasBytes(of: other.withoutFinalSlash)
    }

    private var withoutFinalSlash: String {
        utf8.last == UInt8(ascii: "/") ? String(decoding: utf8.dropLast(), as: UTF8.self) : self
    }
}

extension AuthorizationServerMetadata: Hashable {
    /// Compares the documents, not the transport security that they were read with.
    package static func == (one: AuthorizationServerMetadata, other: AuthorizationServerMetadata) -> Bool {
        one.members == other.members
    }

    /// Hashes the members of the document, which `==` compares.
    package func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension AuthorizationServerMetadata: Codable {
    /// Decodes a stored document, and accepts `http` on this machine. The endpoints were checked with the client's
    /// transport security when the document was fetched, and each request checks its endpoint again.
    /// - Throws: `DecodingError`, or ``OAuthError/invalidMetadata(_:)``.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.singleValueContainer().decode([String: JSONValue].self)
        try self.init(members: members, transportSecurity: .loopbackHTTPAllowed)
    }

    /// Encodes the members of the document as they were received.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }
}

extension AuthorizationServerMetadata: Reticent {
    /// Shows the issuer, and the names of the members without their values.
    package var shown: KeyValuePairs<String, Any> { ["issuer": issuer.addressAlone, "members": members.namesAlone] }
}
