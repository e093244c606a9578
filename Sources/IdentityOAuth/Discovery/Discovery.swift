import Foundation
import IdentityKit

/// Finds a server's metadata from its issuer identifier.
package enum Discovery {
    /// Places of a metadata document, in the order in which they are tried.
    package enum Location: Sendable, CaseIterable {
        /// `{issuer}/.well-known/openid-configuration` (OpenID Connect Discovery section 4).
        case openIDConnect
        /// `/.well-known/openid-configuration` between the host and the path of the issuer: some servers use the rule
        /// of RFC 8414 for both documents. Equal to `openIDConnect` for an issuer without a path.
        case openIDConnectBeforePath
        /// `/.well-known/oauth-authorization-server` put between the host and the path of the issuer (RFC 8414
        /// section 3.1).
        case authorizationServer
        /// `{issuer}/.well-known/oauth-authorization-server`: some servers use the rule of OpenID Connect for both
        /// documents. Equal to `authorizationServer` for an issuer without a path.
        case authorizationServerBelowIssuer
    }

    /// The address of the metadata document.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when `issuer` is no acceptable issuer identifier.
    package static func url(
        _ location: Location, issuer: String, transportSecurity: TransportSecurity = .httpsOnly
    ) throws -> URL {
        let parts = URLParts(issuer)
        guard let parts, let authority = parts.authority, let issuerURL = URL(string: issuer),
            parts.query == nil, parts.fragment == nil, !parts.hasUserInfo, transportSecurity.allows(issuerURL)
        else { throw OAuthError.invalidSetting(.invalidIssuer(issuer.addressAlone)) }
        let origin = parts.scheme + "://" + authority
        let path = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
        let address =
            switch location {
            case .openIDConnect: origin + path + "/.well-known/openid-configuration"
            case .openIDConnectBeforePath: origin + "/.well-known/openid-configuration" + path
            case .authorizationServer: origin + "/.well-known/oauth-authorization-server" + path
            case .authorizationServerBelowIssuer: origin + path + "/.well-known/oauth-authorization-server"
            }
        guard let url = URL(string: address) else {
            throw OAuthError.invalidSetting(.invalidIssuer(issuer.addressAlone))
        }
        return url
    }

    /// The request for the metadata document.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when `issuer` is no acceptable issuer identifier.
    package static func request(
        _ location: Location, issuer: String, transportSecurity: TransportSecurity = .httpsOnly
    ) throws -> URLRequest {
        .json(from: try url(location, issuer: issuer, transportSecurity: transportSecurity))
    }

    /// Reads the response to `request(_:issuer:transportSecurity:)`.
    /// - Parameters:
    ///   - data: the body.
    ///   - response: the head.
    ///   - issuer: who was asked.
    ///   - tenants: the issuers of a multi-tenant server, as its document names them; `nil` for one issuer.
    ///   - transportSecurity: which endpoint addresses are acceptable.
    ///   - endpoints: addresses that count instead of the document's, for a server that announces them wrongly or not at
    ///     all.
    /// - Throws: ``OAuthError/invalidResponse(_:host:)`` when there is no document, ``OAuthError/invalidMetadata(_:)``
    ///   when it must not be used, above all because its issuer differs by as much as a byte.
    package static func metadata(
        from data: Data, _ response: HTTPURLResponse, issuer: String, tenants: TenantIssuer? = nil,
        transportSecurity: TransportSecurity = .httpsOnly,
        replacing endpoints: [AuthorizationServerMetadata.Endpoint: URL] = [:]
    ) throws -> AuthorizationServerMetadata {
        let metadata = try metadata(from: data, response, transportSecurity: transportSecurity, replacing: endpoints)
        try metadata.requireIssuer(tenants?.template ?? issuer)
        return metadata
    }

    /// Reads a document without a check of its issuer.
    private static func metadata(
        from data: Data, _ response: HTTPURLResponse, transportSecurity: TransportSecurity,
        replacing endpoints: [AuthorizationServerMetadata.Endpoint: URL]
    ) throws -> AuthorizationServerMetadata {
        let received = HTTPResponse(data, response)
        var members = try received.object()
        for (endpoint, url) in endpoints {
            try transportSecurity.require(url)
            members[endpoint.rawValue] = .string(url.absoluteString)
        }
        _ = try received.requiredString("issuer", in: members)
        return try AuthorizationServerMetadata(members: members, transportSecurity: transportSecurity)
    }

    /// The document that takes precedence if a server has both.
    package enum Preference: Sendable {
        /// The OpenID Connect document, completed by endpoints that only RFC 8414 defines.
        case openIDConnect
        /// The RFC 8414 document, completed by the end-session endpoint, which only OpenID Connect defines.
        case authorizationServer
        /// The RFC 8414 document alone, for a server that a resource named: nobody signs out there.
        case authorizationServerAlone

        fileprivate var locations: [Location] {
            let authorizationServer: [Location] = [.authorizationServer, .authorizationServerBelowIssuer]
            return self == .openIDConnect
                ? [.openIDConnect] + authorizationServer + [.openIDConnectBeforePath]
                : authorizationServer + [.openIDConnect, .openIDConnectBeforePath]
        }

        /// The documents to complete `metadata` from, which was found at `location`.
        fileprivate func rest(of metadata: AuthorizationServerMetadata, from location: Location) -> [Location] {
            switch (self, location) {
            case (.openIDConnect, .openIDConnect):
                let isComplete = metadata.revocationEndpoint != nil && metadata.introspectionEndpoint != nil
                return isComplete ? [] : [.authorizationServer, .authorizationServerBelowIssuer]
            case (.authorizationServer, .authorizationServer), (.authorizationServer, .authorizationServerBelowIssuer):
                return metadata.endSessionEndpoint == nil ? [.openIDConnect, .openIDConnectBeforePath] : []
            default: return []
            }
        }
    }

    /// Fetches the metadata of `issuer`: the OpenID Connect document, and the RFC 8414 one, at either of its places, when
    /// the first is absent or lacks an endpoint that only RFC 8414 defines.
    /// - Parameters:
    ///   - issuer: the issuer identifier.
    ///   - tenants: the issuers of a multi-tenant server; `nil` for one issuer.
    ///   - transport: sends the requests.
    ///   - transportSecurity: which endpoint addresses are acceptable.
    ///   - endpoints: addresses that count instead of the server's own.
    /// - Throws: ``OAuthError``, or what the transport throws.
    package static func discover(
        issuer: String, tenants: TenantIssuer? = nil, using transport: any HTTPTransport,
        transportSecurity: TransportSecurity = .httpsOnly,
        replacing endpoints: [AuthorizationServerMetadata.Endpoint: URL] = [:]
    ) async throws -> AuthorizationServerMetadata {
        try await discover(
            issuer: issuer, preferring: .openIDConnect, tenants: tenants, using: transport,
            transportSecurity: transportSecurity, replacing: endpoints)
    }

    /// Fetches the metadata of `issuer`.
    /// - Parameters:
    ///   - preference: which document counts first.
    ///   - isNamed: whether a resource named the issuer, not a setting. A slash at its end is then ignored: the
    ///     document has the same address with and without it, and the document's spelling is used from here on.
    /// - Throws: as the public function.
    package static func discover(
        issuer: String, preferring preference: Preference, namedByResource isNamed: Bool = false,
        tenants: TenantIssuer? = nil,
        using transport: any HTTPTransport, transportSecurity: TransportSecurity = .httpsOnly,
        replacing endpoints: [AuthorizationServerMetadata.Endpoint: URL] = [:]
    ) async throws -> AuthorizationServerMetadata {
        func first(of locations: [Location]) async throws -> (AuthorizationServerMetadata, at: Location) {
            var places: [MetadataPlace] = []
            for location in locations where hasPath(issuer) || !location.needsPath {
                let request = try request(location, issuer: issuer, transportSecurity: transportSecurity)
                let found: AuthorizationServerMetadata? = try await MetadataPlace.read(
                    request, using: transport, noting: &places
                ) { data, response in
                    try Self.metadata(
                        from: data, response, transportSecurity: transportSecurity, replacing: endpoints)
                }
                guard let found else { continue }
                if !isNamed || !found.issuer.isSameIssuer(as: issuer) {
                    try found.requireIssuer(tenants?.template ?? issuer)
                }
                return (found, location)
            }
            throw OAuthError.invalidMetadata(.notFound(places))
        }
        let (metadata, location) = try await first(of: preference.locations)
        let rest = preference.rest(of: metadata, from: location)
        // The first document suffices, so an error in the second one costs only its endpoints.
        guard !rest.isEmpty, let (other, _) = try? await first(of: rest) else { return metadata }
        return (try? metadata.completed(by: other, transportSecurity: transportSecurity)) ?? metadata
    }

    /// The well-known part of a metadata document's address. The path after it is that of the issuer or resource.
    /// - Returns: such as `/.well-known/openid-configuration`; `nil` for another address.
    package static func documentName(in address: String) -> Substring? {
        guard let start = address.range(of: "/.well-known/") else { return nil }
        let name = address[start.upperBound...].prefix { !"/?#".contains($0) }
        return address[start.lowerBound..<name.endIndex]
    }

    private static func hasPath(_ issuer: String) -> Bool {
        URLParts(issuer).map { !["", "/"].contains($0.path) } ?? false
    }
}

extension Discovery.Location {
    /// Whether the place coincides with another one for an issuer without a path.
    fileprivate var needsPath: Bool { self == .openIDConnectBeforePath || self == .authorizationServerBelowIssuer }
}
