import Foundation
import IdentityKit

/// The tokens of a successful response (RFC 6749 section 5.1).
///
/// The ID token is not verified yet. The response to a sign-in must conform to the RFC, with these exceptions: any
/// successful status, any content type, a byte order mark, names like `accessToken`, and the configured deviations. An
/// invalid lifetime counts as absent. The response to a refresh replaces a spent token, so it is used in spite of
/// ``faults``.
package struct TokenEndpointResponse: Sendable, Equatable {
    /// The access token; for a token exchange, the issued token of any type (RFC 8693 section 2.2.1).
    package let accessToken: Secret
    /// The type of the access token, which decides how the token is presented. `nil` if the response to a refresh names
    /// no type or an unknown one; the session then keeps its type.
    package let tokenType: TokenType?
    /// The lifetime of the access token, from the first usable one of the members `expires_in`, `expires_at`, `expires_on` and
    /// `expires`. If that member is a time, the lifetime is counted from ``serverDate``. `nil` if no member gives a lifetime
    /// from 1 second to 400 days, or if the first usable member is a time and ``serverDate`` is `nil`.
    package let expiresIn: Duration?
    /// The access token's expiry by the server's clock, if the response has that time but no `Date` to compute a lifetime.
    private let end: Date?
    /// The new refresh token; `nil` means that the old one stays (RFC 6749 section 6).
    package let refreshToken: Secret?
    /// The lifetime of the refresh token, from the member `refresh_token_expires_in` of GitHub, LinkedIn and others; at most
    /// ten years, and `nil` if the member is absent or invalid.
    package let refreshTokenExpiresIn: Duration?
    /// The unverified ID token; `nil` if the response has none, or the settings ignore ID tokens.
    package let idToken: Secret?
    /// The granted scopes. If the response has no usable `scope`, the requested scopes count as granted. `nil` if the request
    /// named no scopes either; a session then keeps its scopes.
    package let scopes: [String]?
    /// The type of the token that a token exchange issued (RFC 8693 section 2.2.1); `nil` if the response has none.
    package let issuedTokenType: TokenTypeIdentifier?
    /// The `Date` header of the response, from which `ClockOffset` computes the server's time; `nil` without a readable one.
    package let serverDate: Date?
    /// Faults of the response that were tolerated; empty for a response that conforms to the RFC.
    package let faults: [ResponseFault]
    /// The members that ``TokenResponseFormat/details`` names, by their paths. Lists, objects and long texts are left
    /// out.
    package let details: [String: JSONValue]
    /// The members that no property of this type represents.
    package let additionalMembers: [String: JSONValue]
    /// All members of the document, including those outside of a nested token response.
    let document: [String: JSONValue]

    /// The longest lifetime of a refresh token, ten years. A longer one is shortened, because later dates overflow in
    /// some programs.
    static let longestLifetime: Duration = .seconds(10 * 365 * 86_400)
    /// The longest accepted lifetime of an access token, 400 days in seconds. A larger number must have another meaning, such
    /// as a time or another unit.
    static let longestAccess: TimeInterval = 400 * 86_400

    /// Reads the response to a token request. In the response to a refresh, every `ResponseFault` is tolerated.
    /// - Parameters:
    ///   - data: the body of the response.
    ///   - response: the status and the headers.
    ///   - grant: the grant of the request.
    ///   - isBound: whether the request proved a key, so that the token may be of the type `DPoP`.
    ///   - format: deviations of the server's responses from the RFC.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    package init(
        _ data: Data, _ response: HTTPURLResponse, for grant: TokenGrant, isBound: Bool = false,
        format: TokenResponseFormat = TokenResponseFormat()
    ) throws {
        do {
            try self.init(
                HTTPResponse(data, response, tolerating: grant.tolerance, errorName: format.names["error"]),
                for: grant, isBound, format)
        } catch let unusable as UnusableAccessTokenError {
            throw unusable.reason
        }
    }

    /// Reads the response to a token request as the other initializer does.
    /// - Throws: ``OAuthError``, or ``UnusableAccessTokenError`` if the response to a refresh has a refresh token but
    ///   no usable access token.
    init(
        _ received: HTTPResponse, for grant: TokenGrant, _ isBound: Bool, _ format: TokenResponseFormat
    ) throws {
        document = try received.tokenDocument(in: format.encoding)
        let object = try received.members(of: document, in: format)
        // Some servers refuse with status 200.
        if !object.hasAccessToken, let refusal = received.refusal(in: document) {
            throw OAuthError.refused(refusal)
        }

        refreshToken = try received.optionalToken("refresh_token", in: object)
        refreshTokenExpiresIn = try received.lifetime("refresh_token_expires_in", in: object)
        do {
            if !object.hasAccessToken, let place = TokenPlace(in: document) {
                throw received.unusable(.tokenElsewhere(path: place.path, name: place.name))
            }
            accessToken = try received.requiredToken("access_token", in: object)
            tokenType =
                format.assumesBearer ? .bearer : try received.tokenType(in: object, for: grant, isBound: isBound)
        } catch let reason as OAuthError where grant.isRefresh {
            throw UnusableAccessTokenError(reason, refreshToken, refreshTokenExpiresIn) ?? reason
        }
        serverDate = HTTPDate.of(received.response)
        (expiresIn, end) = try received.accessLifetime(in: object, at: serverDate)
        idToken = format.ignoresIDToken ? nil : try received.optionalToken("id_token", in: object)
        scopes = try received.scopes(in: object, format) ?? grant.requestedScopes
        issuedTokenType = try received.optionalToken("issued_token_type", in: object)
            .map { TokenTypeIdentifier(rawValue: $0.reveal()) }
        details = format.details(in: document)
        additionalMembers = object.filter { !Self.claimedMembers.contains($0.key) }
        faults = received.faults
    }

    /// Returns the time at which the access token expires; `nil` if it is unknown, or not from 1 second to 400 days
    /// after the request. A lifetime is counted from the request, so that the result is not later than the expiry at
    /// the server, which counts from its response.
    /// - Parameter sentAt: the time of the request, by this machine's clock.
    package func expiresAt(sentAt: Date) -> Date? {
        if let expiresIn { return sentAt.end(after: expiresIn) }
        guard let end, 1...Self.longestAccess ~= end.timeIntervalSince(sentAt) else { return nil }
        return end
    }

    /// Returns the time at which the session ends: the expiry of the refresh token or of the access token, whichever is
    /// later. `nil` if either expiry is unknown, or there is no refresh token.
    /// - Parameter sentAt: the time of the request, by this machine's clock.
    func sessionEndsAt(sentAt: Date) -> Date? {
        guard let refreshTokenExpiresIn, refreshToken != nil, let expiresAt = expiresAt(sentAt: sentAt) else {
            return nil
        }
        return max(expiresAt, sentAt.end(after: refreshTokenExpiresIn))
    }

    /// The members that properties of this type represent, by the names of the RFCs.
    static let claimedMembers: Set = [
        "access_token", "token_type", "expires_in", "expires_at", "expires_on", "expires", "refresh_token",
        "refresh_token_expires_in", "id_token", "scope", "issued_token_type",
    ]
}

extension TokenEndpointResponse: Reticent {
    /// Shows no token, and only the names of the details and of the additional members.
    package var shown: KeyValuePairs<String, Any> {
        [
            "tokenType": tokenType?.rawValue as Any,
            "expiresIn": expiresIn as Any,
            "refreshTokenExpiresIn": refreshTokenExpiresIn as Any,
            "scopes": scopes as Any,
            "issuedTokenType": issuedTokenType?.rawValue as Any,
            "serverDate": serverDate as Any,
            "faults": faults.map(\.description),
            "details": details.namesAlone,
            "additionalMembers": additionalMembers.namesAlone,
        ]
    }
}

extension [String: JSONValue] {
    /// Whether the member `access_token` has a value. `null` and an empty text are none.
    fileprivate var hasAccessToken: Bool {
        switch self["access_token"] {
        case nil, .null, .string(""): false
        default: true
        }
    }
}

extension Date {
    /// Returns this time, without its fraction of a second, plus the whole seconds of a lifetime. If this is the time of a
    /// request, the result is not later than the end that a server computes in whole seconds.
    func end(after lifetime: Duration) -> Date {
        Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) + TimeInterval(lifetime.components.seconds)
    }
}

extension HTTPResponse {
    /// Returns the type of the access token. If the type is missing or unknown, returns `nil` for a refresh, and throws for any
    /// other grant.
    /// - Throws: ``OAuthError/invalidResponse(_:host:)``, also for `DPoP` if the request had no DPoP proof, and for `N_A`
    ///   outside of a token exchange.
    fileprivate func tokenType(
        in object: [String: JSONValue], for grant: TokenGrant, isBound: Bool
    ) throws -> TokenType? {
        guard let word = try optionalString("token_type", in: object) else {
            try tolerate(.tokenType(nil))
            return nil
        }
        let type = TokenType(rawValue: word)
        switch type {
        case .bearer: return type
        case .dpop where isBound: return type
        case .notApplicable where grant.grantType == .tokenExchange: return type
        case .dpop, .notApplicable: throw unusable(.unsupportedTokenType(type.rawValue))
        default:
            try tolerate(.tokenType(word))
            return nil
        }
    }

    /// Returns the lifetime of the access token by the first usable member. If that member is a time and `serverDate` is `nil`,
    /// returns the time as `end` instead. `expires_in` is in seconds; `expires_at` and `expires_on` are times in seconds since
    /// 1970. A number in `expires` is a time if it exceeds 400 days in seconds, and otherwise a lifetime.
    fileprivate func accessLifetime(
        in object: [String: JSONValue], at serverDate: Date?
    ) throws -> (lifetime: Duration?, end: Date?) {
        let longest = TokenEndpointResponse.longestAccess
        for name in ["expires_in", "expires_at", "expires_on", "expires"] {
            guard let value = object[name], value != .null else { continue }
            if let seconds = value.secondsValue, seconds >= 1 {
                let isTime = name == "expires" ? seconds > longest : name != "expires_in"
                let end = isTime ? Date(outsideSecondsSince1970: seconds) : nil
                if let end, serverDate == nil { return (nil, end) }
                let left = isTime ? serverDate.flatMap { end?.timeIntervalSince($0) } ?? 0 : seconds
                if 1...longest ~= left { return (.seconds(Int64(left)), nil) }
            }
            if isTolerant { try tolerate(.invalidMember(name)) }
        }
        return (nil, nil)
    }

    /// Returns the lifetime in a member, a number of seconds that some servers send as text; at most ten years. An invalid
    /// value counts as absent, because the tokens are usable without it.
    fileprivate func lifetime(_ name: String, in object: [String: JSONValue]) throws -> Duration? {
        guard let value = object[name], value != .null else { return nil }
        guard let seconds = value.secondsValue, seconds >= 1 else {
            if isTolerant { try tolerate(.invalidMember(name)) }
            return nil
        }
        let longest = TokenEndpointResponse.longestLifetime
        return seconds < Double(longest.components.seconds) ? .seconds(Int64(seconds)) : longest
    }

    /// Returns the granted scopes; `nil` if the response names none. For a refresh, `scope` may have another form than the
    /// configured one, and the result is `nil` if one of the scopes is invalid.
    /// - Throws: ``OAuthError/invalidResponse(_:host:)`` for any grant but a refresh, when `scope` does not have the configured
    ///   form, or one of the scopes is invalid.
    fileprivate func scopes(in object: [String: JSONValue], _ format: TokenResponseFormat) throws -> [String]? {
        var scopes: [String]?
        var isInForm = false
        switch object["scope"] {
        case nil, .null: return nil
        case .string("") where !format.scopesAreList: return nil
        case .string(let text): (scopes, isInForm) = (format.scopes(in: text), !format.scopesAreList)
        case .array(let elements):
            let texts = elements.compactMap(\.stringValue)
            if texts.count == elements.count { (scopes, isInForm) = (texts, format.scopesAreList) }
        default: break
        }
        if scopes?.allSatisfy(\.isUnquotedWord) != true { (scopes, isInForm) = (nil, false) }
        guard !isInForm else { return scopes }
        try tolerate(.invalidMember("scope"))
        return scopes.flatMap { $0.isEmpty ? nil : $0 }
    }
}
