import Foundation
import IdentityKit

/// The tokens of a successful response (RFC 6749 section 5.1).
///
/// The ID token is not verified yet. Members may have names like `accessToken`. The response to a sign-in is otherwise as
/// the RFC says, or refused, whatever its status and content type. The response to a refresh replaces a spent token, so it
/// is used although it has ``faults``.
package struct TokenEndpointResponse: Sendable, Equatable {
    /// The access token; for a token exchange, whatever was issued.
    package let accessToken: Secret
    /// How the access token is presented; `nil` in the response to a refresh that does not say it in a known word, so that
    /// it is as before. The token goes to the same places in the same way as its predecessor.
    package let tokenType: TokenType?
    /// How long the access token is good for; `nil` when the server does not say, or says something absurd. Where there is no
    /// `expires_in`, from the time in `expires_at`, `expires_on` or `expires`, by the server's clock.
    package let expiresIn: Duration?
    /// When the access token stops working, where the response names that time and has no `Date` to compare it with.
    private let end: Date?
    /// The new refresh token; `nil` means that the old one stays (RFC 6749 section 6).
    package let refreshToken: Secret?
    /// How long the refresh token is good for, by the member `refresh_token_expires_in` that GitHub, LinkedIn and others
    /// add; `nil` when the server does not say.
    package let refreshTokenExpiresIn: Duration?
    /// The ID token, unverified.
    package let idToken: Secret?
    /// The granted scopes. A response without `scope` means what was asked for; `nil` means neither said, so what was
    /// granted before stays.
    package let scopes: [String]?
    /// The type of the token that an exchange issued (RFC 8693 section 2.2.1).
    package let issuedTokenType: TokenTypeIdentifier?
    /// When the response was made, by the server's clock; see `ClockOffset`.
    package let serverDate: Date?
    /// Oddities of the response that make no difference; empty for a response as the RFC says.
    package let faults: [ResponseFault]
    /// The members that ``TokenResponseFormat/details`` names, by their paths.
    package let details: [String: JSONValue]
    /// The members no property claims.
    package let additionalMembers: [String: JSONValue]
    /// Every member of the document, also those around a token response that is one of its members.
    let document: [String: JSONValue]

    /// A lifetime of a refresh token beyond this is taken for this: dates further out overflow in places.
    static let longestLifetime: Duration = .seconds(10 * 365 * 86_400)
    /// No access token lives longer, in seconds: what says so means something else.
    static let longestAccess: TimeInterval = 400 * 86_400

    /// Reads the response to a token request, tolerantly when it is a refresh.
    /// - Parameters:
    ///   - data: the body.
    ///   - response: the head.
    ///   - grant: what was asked for.
    ///   - isBound: whether the request proved a key, so that the token may be of the type `DPoP`.
    ///   - format: how the server writes its responses.
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

    /// Creates a response, as above.
    /// - Throws: also ``UnusableAccessTokenError``.
    init(
        _ received: HTTPResponse, for grant: TokenGrant, _ isBound: Bool, _ format: TokenResponseFormat
    ) throws {
        document = try received.tokenDocument(in: format.encoding)
        let object = try received.members(of: document, in: format)
        // Some servers refuse with status 200.
        if object["access_token"] == nil, let refusal = received.refusal(in: document) {
            throw OAuthError.refused(refusal)
        }

        refreshToken = try received.optionalToken("refresh_token", in: object)
        refreshTokenExpiresIn = try received.lifetime("refresh_token_expires_in", in: object)
        do {
            if object["access_token"] == nil, let place = TokenPlace(in: document) {
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

    /// When the access token stops working; `nil` when unknown. Never later than the server means it: the server counts from
    /// when it made the response, and in whole seconds.
    /// - Parameter sentAt: when the request was sent, by the clock that will be compared with.
    package func expiresAt(sentAt: Date) -> Date? {
        if let expiresIn { return sentAt.end(after: expiresIn) }
        guard let end, 1...Self.longestAccess ~= end.timeIntervalSince(sentAt) else { return nil }
        return end
    }

    /// When the session ends at the latest; `nil` when the server does not say. An access token that outlives its refresh
    /// token is still good.
    func sessionEndsAt(sentAt: Date) -> Date? {
        guard let refreshTokenExpiresIn, refreshToken != nil, let expiresAt = expiresAt(sentAt: sentAt) else {
            return nil
        }
        return max(expiresAt, sentAt.end(after: refreshTokenExpiresIn))
    }

    /// The members that properties claim, by the names of the RFCs.
    static let claimedMembers: Set = [
        "access_token", "token_type", "expires_in", "expires_at", "expires_on", "expires", "refresh_token",
        "refresh_token_expires_in", "id_token", "scope", "issued_token_type",
    ]
}

extension TokenEndpointResponse: CustomReflectable {
    /// Shows no token, and of the additional members the names alone.
    package var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "tokenType": tokenType?.rawValue as Any,
                "expiresIn": expiresIn as Any,
                "refreshTokenExpiresIn": refreshTokenExpiresIn as Any,
                "scopes": scopes as Any,
                "issuedTokenType": issuedTokenType?.rawValue as Any,
                "serverDate": serverDate as Any,
                "faults": faults.map(\.description),
                "details": details.namesAlone,
                "additionalMembers": additionalMembers.namesAlone,
            ])
    }
}

extension Date {
    /// The end of a lifetime that a server counts from some moment after this one.
    func end(after lifetime: Duration) -> Date {
        Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) + TimeInterval(lifetime.components.seconds)
    }
}

extension HTTPResponse {
    /// How the access token is presented; `nil` where the response to a refresh does not say it in a known word.
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
        case .dpop, .notApplicable: throw unusable(.unsupportedTokenType(type))
        default:
            try tolerate(.tokenType(word))
            return nil
        }
    }

    /// How long the access token is good for, or until when, where `serverDate` is missing. `expires_in` has seconds,
    /// `expires_at` and `expires_on` have a time, and `expires` has what its size says.
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

    /// Seconds as a number or as digits in a string, which some servers send. Nothing about a lifetime is worth losing
    /// tokens, so nonsense counts as "not said".
    fileprivate func lifetime(_ name: String, in object: [String: JSONValue]) throws -> Duration? {
        guard let value = object[name], value != .null else { return nil }
        guard let seconds = value.secondsValue, seconds >= 1 else {
            if isTolerant { try tolerate(.invalidMember(name)) }
            return nil
        }
        let longest = TokenEndpointResponse.longestLifetime
        return seconds < Double(longest.components.seconds) ? .seconds(Int64(seconds)) : longest
    }

    /// The granted scopes; `nil` where the response does not name any.
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
