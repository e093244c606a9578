import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The tokens of a successful response (RFC 6749 section 5.1).
///
/// The ID token is not verified yet.
public struct TokenEndpointResponse: Sendable, Equatable {
    /// The access token; for a token exchange, whatever was issued.
    public let accessToken: Secret
    /// How the access token is presented.
    public let tokenType: TokenType
    /// How long the access token is good for; `nil` when the server does not say, or says something absurd.
    public let expiresIn: Duration?
    /// The new refresh token; `nil` means that the old one stays (RFC 6749 section 6).
    public let refreshToken: Secret?
    /// How long the refresh token is good for, by the member `refresh_token_expires_in` that GitHub, LinkedIn and others
    /// add; `nil` when the server does not say.
    public let refreshTokenExpiresIn: Duration?
    /// The ID token, unverified.
    public let idToken: Secret?
    /// What was granted. A response without `scope` means what was asked for; `nil` means neither said, so what was
    /// granted before stays.
    public let scopes: [String]?
    /// What a token exchange issued (RFC 8693 section 2.2.1).
    public let issuedTokenType: TokenTypeIdentifier?
    /// When the response was made, by the server's clock; see ``ClockOffset``.
    public let serverDate: Date?
    /// The members no property claims.
    public let additionalMembers: [String: JSONValue]
    /// Every member of the document, also those around a token response that is one of its members.
    let document: [String: JSONValue]

    /// A lifetime beyond this is taken for this: dates further out overflow in places.
    static let longestLifetime: Duration = .seconds(10 * 365 * 86_400)

    /// Reads the response to a token request.
    /// - Parameters:
    ///   - data: the body.
    ///   - response: the head.
    ///   - grant: what was asked for.
    ///   - isBound: whether the request proved a key, so that the token may be of the type `DPoP`.
    ///   - format: how the server writes its responses.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    public init(
        _ data: Data, _ response: HTTPURLResponse, for grant: TokenGrant, isBound: Bool = false,
        format: TokenResponseFormat = TokenResponseFormat()
    ) throws {
        let received = HTTPResponse(data, response)
        document = try format.encoding == .form ? received.form() : received.object()
        let object = try received.members(of: document, at: format.memberPath)
        // Some servers refuse with status 200.
        if object["access_token"] == nil, let refusal = received.refusal(in: document) {
            throw OAuthError.refused(refusal)
        }

        accessToken = try received.requiredToken("access_token", in: object)
        tokenType =
            format.assumesBearer
            ? .bearer : TokenType(rawValue: try received.requiredString("token_type", in: object))
        guard
            tokenType == .bearer || tokenType == .dpop && isBound
                || tokenType == .notApplicable && grant.grantType == .tokenExchange
        else { throw received.unusable(.unsupportedTokenType(tokenType)) }
        expiresIn = Self.lifetime(object["expires_in"])
        refreshToken = try received.optionalToken("refresh_token", in: object)
        refreshTokenExpiresIn = Self.lifetime(object["refresh_token_expires_in"])
        idToken = format.ignoresIDToken ? nil : try received.optionalToken("id_token", in: object)
        scopes = try received.scopes(in: object, format) ?? grant.requestedScopes
        guard scopes?.allSatisfy(\.isUnquotedWord) ?? true else { throw received.unusable(.invalidMember("scope")) }
        issuedTokenType = try received.optionalToken("issued_token_type", in: object)
            .map { TokenTypeIdentifier(rawValue: $0.reveal()) }
        serverDate = HTTPDate.of(response)
        additionalMembers = object.filter { !Self.claimedMembers.contains($0.key) }
    }

    /// When the access token stops working; `nil` when unknown.
    /// - Parameter receivedAt: when the response arrived, by the clock that will be compared with.
    public func expiresAt(receivedAt: Date) -> Date? {
        expiresIn.map { receivedAt + TimeInterval($0.components.seconds) }
    }

    /// When the session ends at the latest; `nil` when the server does not say. An access token that outlives its refresh
    /// token is still good.
    func sessionEndsAt(receivedAt: Date) -> Date? {
        guard let refreshTokenExpiresIn, refreshToken != nil, let expiresAt = expiresAt(receivedAt: receivedAt) else {
            return nil
        }
        return max(expiresAt, receivedAt + TimeInterval(refreshTokenExpiresIn.components.seconds))
    }

    private static let claimedMembers: Set = [
        "access_token", "token_type", "expires_in", "refresh_token", "refresh_token_expires_in", "id_token", "scope",
        "issued_token_type",
    ]

    /// Seconds as a number or as digits in a string, which some servers send. Nothing about a lifetime is worth losing
    /// a refresh token that was just rotated, so nonsense counts as "not said".
    private static func lifetime(_ value: JSONValue?) -> Duration? {
        guard let seconds = value?.secondsValue, seconds >= 1 else { return nil }
        return seconds < Double(longestLifetime.components.seconds) ? .seconds(Int64(seconds)) : longestLifetime
    }
}

extension TokenEndpointResponse: CustomReflectable {
    /// Shows no token, and of the additional members the names alone.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "tokenType": tokenType.rawValue,
                "expiresIn": expiresIn as Any,
                "refreshTokenExpiresIn": refreshTokenExpiresIn as Any,
                "scopes": scopes as Any,
                "issuedTokenType": issuedTokenType?.rawValue as Any,
                "serverDate": serverDate as Any,
                "additionalMembers": additionalMembers.namesAlone,
            ])
    }
}

extension HTTPResponse {
    /// The granted scopes; `nil` where the response does not name any.
    fileprivate func scopes(in object: [String: JSONValue], _ format: TokenResponseFormat) throws -> [String]? {
        guard format.scopesAreList else { return try optionalString("scope", in: object).map(format.scopes) }
        guard let value = object["scope"], value != .null else { return nil }
        let scopes = value.arrayValue?.compactMap(\.stringValue)
        guard let scopes, scopes.count == value.arrayValue?.count else { throw unusable(.invalidMember("scope")) }
        return scopes
    }
}
