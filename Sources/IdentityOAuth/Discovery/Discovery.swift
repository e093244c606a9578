import Foundation
import IdentityKit

/// Finds a server's metadata from its issuer identifier.
public enum Discovery {
    /// The places where a metadata document can be, in the order they are asked in.
    public enum Location: Sendable, CaseIterable {
        /// `{issuer}/.well-known/openid-configuration` (OpenID Connect Discovery section 4).
        case openIDConnect
        /// `/.well-known/openid-configuration` put between the host and the path of the issuer, where servers put it that
        /// treat it like the next one. The same as ``openIDConnect`` for an issuer without a path.
        case openIDConnectBeforePath
        /// `/.well-known/oauth-authorization-server` put between the host and the path of the issuer (RFC 8414
        /// section 3.1).
        case authorizationServer
        /// `{issuer}/.well-known/oauth-authorization-server`, where servers put it that treat it like the first one. The
        /// same as ``authorizationServer`` for an issuer without a path.
        case authorizationServerBelowIssuer
    }

    /// The address of the metadata document.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when `issuer` is no acceptable issuer identifier.
    public static func url(
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
    public static func request(
        _ location: Location, issuer: String, transportSecurity: TransportSecurity = .httpsOnly
    ) throws -> URLRequest {
        .json(from: try url(location, issuer: issuer, transportSecurity: transportSecurity))
    }

    /// Reads the response to ``request(_:issuer:transportSecurity:)``.
    /// - Parameters:
    ///   - data: the body.
    ///   - response: the head.
    ///   - issuer: who was asked.
    ///   - tenants: the issuers of a server with many tenants, which its document then names; `nil` for one issuer.
    ///   - transportSecurity: which endpoint addresses are acceptable.
    ///   - endpoints: addresses that count instead of the document's, for a server that announces them wrongly or not at
    ///     all.
    /// - Throws: ``OAuthError/invalidResponse(_:host:)`` when there is no document, ``OAuthError/invalidMetadata(_:)``
    ///   when it must not be used, above all because its issuer differs by as much as a byte.
    public static func metadata(
        from data: Data, _ response: HTTPURLResponse, issuer: String, tenants: TenantIssuer? = nil,
        transportSecurity: TransportSecurity = .httpsOnly,
        replacing endpoints: [AuthorizationServerMetadata.Endpoint: URL] = [:]
    ) throws -> AuthorizationServerMetadata {
        let received = HTTPResponse(data, response)
        var members = try received.object()
        for (endpoint, url) in endpoints {
            try transportSecurity.require(url)
            members[endpoint.rawValue] = .string(url.absoluteString)
        }
        _ = try received.requiredString("issuer", in: members)
        let metadata = try AuthorizationServerMetadata(members: members, transportSecurity: transportSecurity)
        try metadata.requireIssuer(tenants?.template ?? issuer)
        return metadata
    }

    /// Fetches the metadata of `issuer`: the OpenID Connect document, and the RFC 8414 one, at either of its places, when
    /// the first is absent or lacks an endpoint that only RFC 8414 defines.
    /// - Parameters:
    ///   - issuer: the issuer identifier.
    ///   - tenants: the issuers of a server with many tenants; `nil` for one issuer.
    ///   - transport: sends the requests.
    ///   - transportSecurity: which endpoint addresses are acceptable.
    ///   - endpoints: addresses that count instead of the server's own.
    /// - Throws: ``OAuthError``, or what the transport throws.
    public static func discover(
        issuer: String, tenants: TenantIssuer? = nil, using transport: any HTTPTransport,
        transportSecurity: TransportSecurity = .httpsOnly,
        replacing endpoints: [AuthorizationServerMetadata.Endpoint: URL] = [:]
    ) async throws -> AuthorizationServerMetadata {
        func fetch(_ location: Location) async throws -> AuthorizationServerMetadata {
            let request = try request(location, issuer: issuer, transportSecurity: transportSecurity)
            let (data, response) = try await transport.data(for: request)
            return try metadata(
                from: data, response, issuer: issuer, tenants: tenants, transportSecurity: transportSecurity,
                replacing: endpoints)
        }
        func fetchAuthorizationServer() async throws -> AuthorizationServerMetadata {
            do {
                return try await fetch(.authorizationServer)
            } catch let absence as OAuthError where absence.isUnusableResponse && hasPath(issuer) {
                return try await fetch(.authorizationServerBelowIssuer)
            }
        }
        do {
            let metadata = try await fetch(.openIDConnect)
            let isComplete = metadata.revocationEndpoint != nil && metadata.introspectionEndpoint != nil
            // The first document is good, so whatever is wrong with the second one costs only its endpoints.
            guard !isComplete, let other = try? await fetchAuthorizationServer() else { return metadata }
            return (try? metadata.completed(by: other, transportSecurity: transportSecurity)) ?? metadata
        } catch let absence as OAuthError where absence.isUnusableResponse {
            do {
                return try await fetchAuthorizationServer()
            } catch let other as OAuthError where other.isUnusableResponse {
                guard hasPath(issuer), let metadata = try? await fetch(.openIDConnectBeforePath) else { throw absence }
                return metadata
            }
        }
    }

    private static func hasPath(_ issuer: String) -> Bool {
        URLParts(issuer).map { !["", "/"].contains($0.path) } ?? false
    }
}

extension OAuthError {
    /// Whether a response was unusable, so that another address is worth a request.
    fileprivate var isUnusableResponse: Bool {
        if case .invalidResponse = self { true } else { false }
    }
}
