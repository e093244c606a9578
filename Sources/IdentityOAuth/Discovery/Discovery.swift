import Foundation
import IdentityKit

/// Finds a server's metadata from its issuer identifier.
package enum Discovery {
    /// The possible places of a metadata document. ``Preference`` determines the order in which they are tried.
    package enum Location: Sendable, CaseIterable {
        /// `{issuer}/.well-known/openid-configuration` (OpenID Connect Discovery section 4).
        case openIDConnect
        /// `/.well-known/openid-configuration` between the host and the path of the issuer: some servers use the rule
        /// of RFC 8414 for both documents. The same as `openIDConnect` for an issuer without a path.
        case openIDConnectBeforePath
        /// `/.well-known/oauth-authorization-server` between the host and the path of the issuer (RFC 8414 section
        /// 3.1).
        case authorizationServer
        /// `{issuer}/.well-known/oauth-authorization-server`: some servers use the rule of OpenID Connect for both
        /// documents. The same as `authorizationServer` for an issuer without a path.
        case authorizationServerBelowIssuer
    }

    /// Returns the address of the metadata document at one of its places.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when `issuer` is not an absolute URL that `transportSecurity`
    ///   allows, or has a query, a fragment, or a user name.
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

    /// Returns the request for the metadata document at one of its places.
    /// - Throws: as ``url(_:issuer:transportSecurity:)``.
    package static func request(
        _ location: Location, issuer: String, transportSecurity: TransportSecurity = .httpsOnly
    ) throws -> URLRequest {
        .json(from: try url(location, issuer: issuer, transportSecurity: transportSecurity))
    }

    /// Reads the response to `request(_:issuer:transportSecurity:)`.
    /// - Parameters:
    ///   - data: the body of the response.
    ///   - response: the status and the headers.
    ///   - issuer: the issuer identifier that the request was made for.
    ///   - tenants: the issuers of a multi-tenant server, whose template the document must have as its `issuer`; `nil` for a
    ///     server with one issuer.
    ///   - transportSecurity: which endpoint addresses are acceptable.
    ///   - endpoints: addresses that replace those of the document, for a server that announces them wrongly or not at
    ///     all.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)`` when the response has no
    ///   document, ``OAuthError/invalidMetadata(_:)`` when the document must not be used, for example because its
    ///   issuer differs by one byte, and ``OAuthError/invalidSetting(_:)`` when `transportSecurity` does not allow one
    ///   of `endpoints`.
    package static func metadata(
        from data: Data, _ response: HTTPURLResponse, issuer: String, tenants: TenantIssuer? = nil,
        transportSecurity: TransportSecurity = .httpsOnly,
        replacing endpoints: [ServerEndpoint: URL] = [:]
    ) throws -> AuthorizationServerMetadata {
        let metadata = try metadata(from: data, response, transportSecurity: transportSecurity, replacing: endpoints)
        try metadata.requireIssuer(tenants?.template ?? issuer)
        return metadata
    }

    /// Reads a document without a check of its issuer.
    private static func metadata(
        from data: Data, _ response: HTTPURLResponse, transportSecurity: TransportSecurity,
        replacing endpoints: [ServerEndpoint: URL]
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

    /// The kind of document that takes precedence if a server has both an OpenID Connect document and an RFC 8414
    /// document. If the preferred document is absent, the other one is used.
    package enum Preference: Sendable {
        /// The OpenID Connect document. If it lacks the revocation or introspection endpoint, the RFC 8414 document
        /// supplies the missing members.
        case openIDConnect
        /// The RFC 8414 document. If it lacks the end-session endpoint, the OpenID Connect document supplies the
        /// missing members.
        case authorizationServer
        /// The RFC 8414 document, not completed with the other document. For a server that a protected resource names.
        /// If the document lacks the end-session endpoint, a sign-out does not open the server's page.
        case authorizationServerAlone

        fileprivate var locations: [Location] {
            let authorizationServer: [Location] = [.authorizationServer, .authorizationServerBelowIssuer]
            return self == .openIDConnect
                ? [.openIDConnect] + authorizationServer + [.openIDConnectBeforePath]
                : authorizationServer + [.openIDConnect, .openIDConnectBeforePath]
        }

        /// Returns the places of the document that completes `metadata`; empty if `metadata` is used alone.
        /// - Parameter location: the place where `metadata` was found.
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

    /// Fetches the metadata of `issuer`. The OpenID Connect document below the issuer takes precedence. If it is absent, the
    /// RFC 8414 document at either of its places is used. If that is absent too, the OpenID Connect document before the
    /// issuer's path is used (``Location/openIDConnectBeforePath``).
    ///
    /// Only RFC 8414 defines the revocation and introspection endpoints. If the OpenID Connect document below the issuer lacks
    /// one of them, the RFC 8414 document completes it.
    /// - Parameters:
    ///   - issuer: the issuer identifier.
    ///   - tenants: the issuers of a multi-tenant server; `nil` for a server with one issuer.
    ///   - transport: sends the requests.
    ///   - transportSecurity: which endpoint addresses are acceptable.
    ///   - endpoints: addresses that replace those of the documents.
    /// - Throws: ``OAuthError``, or what the transport throws.
    package static func discover(
        issuer: String, tenants: TenantIssuer? = nil, using transport: any HTTPTransport,
        transportSecurity: TransportSecurity = .httpsOnly,
        replacing endpoints: [ServerEndpoint: URL] = [:]
    ) async throws -> AuthorizationServerMetadata {
        try await discover(
            issuer: issuer, preferring: .openIDConnect, tenants: tenants, using: transport,
            transportSecurity: transportSecurity, replacing: endpoints)
    }

    /// Fetches the metadata of `issuer`, with a choice of the document that takes precedence.
    /// - Parameters:
    ///   - preference: the document that takes precedence.
    ///   - isNamed: whether `issuer` comes from a resource instead of a setting. The document's issuer may then differ by
    ///     a slash at the end, and the returned metadata contains the document's spelling.
    /// - Throws: as ``discover(issuer:tenants:using:transportSecurity:replacing:)``.
    package static func discover(
        issuer: String, preferring preference: Preference, namedByResource isNamed: Bool = false,
        tenants: TenantIssuer? = nil,
        using transport: any HTTPTransport, transportSecurity: TransportSecurity = .httpsOnly,
        replacing endpoints: [ServerEndpoint: URL] = [:]
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
                guard var found else { continue }
                if !isNamed || !found.issuer.isSameIssuer(as: issuer) {
                    try found.requireIssuer(tenants?.template ?? issuer)
                }
                found.mayBeIncomplete = places.contains(where: \.mayPass)
                return (found, location)
            }
            throw OAuthError.invalidMetadata(.notFound(places))
        }
        var (metadata, location) = try await first(of: preference.locations)
        let rest = preference.rest(of: metadata, from: location)
        guard !rest.isEmpty else { return metadata }
        do {
            return try metadata.completed(by: await first(of: rest).0, transportSecurity: transportSecurity)
        } catch {
            // The first document suffices. If the other document cannot be used, only its endpoints are missing.
            try Task.checkCancellation()
            if error.identityFailureClass == .transient { metadata.mayBeIncomplete = true }
            return metadata
        }
    }

    /// Returns the well-known path in the address of a metadata document, without the path of the issuer or resource
    /// after it.
    /// - Returns: a path such as `/.well-known/openid-configuration`; `nil` for an address without `/.well-known/`.
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
    /// Whether to try this place only for an issuer with a path. For any other issuer, another place has the same address.
    fileprivate var needsPath: Bool { self == .openIDConnectBeforePath || self == .authorizationServerBelowIssuer }
}
