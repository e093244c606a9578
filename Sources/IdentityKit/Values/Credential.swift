import Foundation
import IdentityStoreFormat

/// The tokens of a session, and what is needed to refresh them.
public struct Credential: Sendable, Equatable {
    /// The token that the app sends to resource servers (RFC 6749 section 1.4).
    public var accessToken: Secret
    /// The type of the access token, usually `Bearer` (RFC 6750).
    public var tokenType: String
    /// The token that refreshes the session; `nil` when the session ends with its access token.
    public var refreshToken: Secret?
    /// The OpenID Connect ID token as it was received; `nil` when there is none.
    public var idToken: Secret?
    /// The granted scopes; empty for a backend without scopes.
    public var scopes: Set<String>
    /// When the access token was issued, by this machine's clock.
    public var issuedAt: Date
    /// When the access token expires, by this machine's clock; `nil` when that is unknown.
    public var expiresAt: Date?
    /// When the user signed in, by this machine's clock.
    public var signedInAt: Date
    /// When the session ends even if it is refreshed, by this machine's clock; `nil` when that is unknown.
    public var sessionEndsAt: Date?
    /// Base URL of the backend that issued the tokens. A provider for another backend does not use the session.
    public var backend: String
    /// Identifier of the OAuth client that the tokens were issued to; `nil` when it is unknown, or the backend has no
    /// clients.
    public var clientID: String?
    /// The type of the provider that began the session, set by ``ProviderSessions``; `nil` when the session
    /// names none.
    package var providerType: String?
    /// The account's profile; `nil` when the backend sent none, or when it did not fit into the record.
    public var profile: AccountProfile?
    /// The private key that the tokens are bound to (DPoP, RFC 9449), as a JWK (RFC 7517); `nil` for bearer tokens.
    package var proofKey: Secret?
    /// Other values that the provider stores with the session.
    public var details: [String: JSONValue]
    /// The checks that are still pending after a refresh; `nil` for none.
    package var pendingVerification: PendingVerification?

    /// Why the session cannot be refreshed although it has not ended; `nil` when it is not suspended.
    public package(set) var suspension: Suspension?
    /// When the issuer itself rejected the access token, by this machine's clock; `nil` when it has not.
    package var refusedAt: Date?
    /// The generation (version number) that the stored record had when it first contained these tokens; `nil` if that is the
    /// current generation. In a ``Grant``, a counter instead: 1 for the first tokens, and one more after each refresh.
    package var tokensSince: UInt64?
    /// The generation of the record that the sign-in wrote, kept by every refresh; `nil` before the session is stored.
    package var sessionNumber: UInt64?

    /// The scopes that may be requested with the refresh token; `nil` when these are ``scopes``.
    package var agreedScopes: Set<String>?
    /// The resources that the authorization request named; empty for none.
    package var agreedResources: Set<String> = []
    /// The access tokens for resources, in addition to the session's own, oldest first.
    package var tokens: [ResourceToken] = []
    /// The server's refusals to issue tokens for resources, oldest first.
    package var refusals: [KeyRefusal] = []
    /// Further grants of the session, each with a refresh token of its own. All other members belong to the first grant.
    package var grants: [Grant] = []

    /// Members that a later version of this library stored, kept when this version refreshes the session.
    package var unknownMembers: [String: JSONValue] = [:]

    public init(
        accessToken: Secret, tokenType: String = "Bearer", refreshToken: Secret? = nil, idToken: Secret? = nil,
        scopes: Set<String> = [], issuedAt: Date, expiresAt: Date?, signedInAt: Date, sessionEndsAt: Date? = nil,
        backend: String, clientID: String? = nil, profile: AccountProfile? = nil, details: [String: JSONValue] = [:]
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scopes = scopes
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.signedInAt = signedInAt
        self.sessionEndsAt = sessionEndsAt
        self.backend = backend
        self.clientID = clientID
        self.profile = profile
        self.details = details
    }

    /// The dates that decide when the access token is refreshed. A withheld token counts as not verified.
    var life: TokenLifetime {
        TokenLifetime(
            issuedAt: issuedAt, expiresAt: expiresAt, sessionEndsAt: sessionEndsAt, isRefreshable: refreshToken != nil,
            isVerified: !isWithheld)
    }

    /// Whether the access token has not expired at `date`. A token with an unknown expiry counts as valid.
    package func isValid(at date: Date) -> Bool { life.isValid(at: date) }

    /// Whether the access token must not be handed out even if it has not expired, because it is unverified or was
    /// rejected by its issuer.
    package var isWithheld: Bool { pendingVerification != nil || refusedAt != nil }

    /// Whether the access token may be handed out at `date`: it has not expired, is verified, and its issuer has not
    /// rejected it.
    package func isUsable(at date: Date) -> Bool { !isWithheld && isValid(at: date) }

    /// Whether the session has ended at `date`: ``sessionEndsAt`` has passed, or the access token has expired and there is
    /// no refresh token.
    package func hasEnded(at date: Date) -> Bool { life.hasEnded(at: date) }
}

extension Credential: Codable {
    private enum CodingKeys: String, CodingKey {
        case accessToken, tokenType, refreshToken, idToken, scopes, issuedAt, expiresAt, signedInAt, sessionEndsAt
        case backend, clientID, providerType, profile, proofKey, details, pendingVerification
        case suspension, refusedAt, tokensSince, sessionNumber, agreedScopes, tokens, refusals
        case agreedResources, grants
    }

    /// Decodes a stored credential, and keeps unknown members.
    /// - Throws: `DecodingError`, also for a malformed token and for a date outside of the calendar.
    public init(from decoder: any Decoder) throws {
        var members = try JSONMembers(from: decoder)
        do throws(JSONMembers.Defect) {
            try self.init(&members)
        } catch {
            throw error.decodingError
        }
    }

    /// Reads the members of a stored credential, and keeps unknown ones.
    init(_ members: inout JSONMembers) throws(JSONMembers.Defect) {
        accessToken = try members.token("accessToken")
        tokenType = try members.text("tokenType")
        refreshToken = try members.tokenIfPresent("refreshToken")
        idToken = try members.tokenIfPresent("idToken")
        scopes = Set(try members.texts("scopes"))
        issuedAt = try members.date("issuedAt")
        expiresAt = try members.dateIfPresent("expiresAt")
        signedInAt = try members.date("signedInAt")
        sessionEndsAt = try members.dateIfPresent("sessionEndsAt")
        backend = try members.text("backend")
        clientID = try members.textIfPresent("clientID")
        providerType = try members.textIfPresent("providerType")
        if let profile = try members.objectIfPresent("profile") { self.profile = try AccountProfile(stored: profile) }
        proofKey = try members.tokenIfPresent("proofKey")
        details = try members.object("details")
        if let pending = try members.objectIfPresent("pendingVerification") {
            pendingVerification = try PendingVerification(stored: pending)
        }
        suspension = try members.objectIfPresent("suspension").flatMap(Suspension.init(stored:))
        refusedAt = try members.dateIfPresent("refusedAt")
        tokensSince = try members.countIfPresent("tokensSince")
        sessionNumber = try members.countIfPresent("sessionNumber")
        agreedScopes = members.listIfPresent("agreedScopes").map { Set($0.compactMap(\.stringValue)) }
        tokens = members.listIfPresent("tokens")?.compactMap(ResourceToken.init(stored:)) ?? []
        refusals = members.listIfPresent("refusals")?.compactMap(KeyRefusal.init(stored:)) ?? []
        agreedResources = Set(members.listIfPresent("agreedResources")?.compactMap(\.stringValue) ?? [])
        grants = members.listIfPresent("grants")?.compactMap(Grant.init(stored:)) ?? []
        unknownMembers = members.rest
    }

    /// Encodes the members that have a value, and unknown members. The credential's own dates are seconds since the
    /// reference date (2001-01-01), regardless of the encoder's settings. The dates of a suspension or a pending
    /// verification depend on the encoder's `dateEncodingStrategy`. Do not change that strategy, because ``init(from:)``
    /// expects the default.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: AnyKey.self)
        for (name, value) in unknownMembers { try members.encode(value, forKey: AnyKey(stringValue: name)) }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(accessToken, forKey: .accessToken)
        try container.encode(tokenType, forKey: .tokenType)
        try container.encodeIfPresent(refreshToken, forKey: .refreshToken)
        try container.encodeIfPresent(idToken, forKey: .idToken)
        try container.encode(scopes, forKey: .scopes)
        try container.encode(issuedAt.timeIntervalSinceReferenceDate, forKey: .issuedAt)
        try container.encodeIfPresent(expiresAt?.timeIntervalSinceReferenceDate, forKey: .expiresAt)
        try container.encode(signedInAt.timeIntervalSinceReferenceDate, forKey: .signedInAt)
        try container.encodeIfPresent(sessionEndsAt?.timeIntervalSinceReferenceDate, forKey: .sessionEndsAt)
        try container.encode(backend, forKey: .backend)
        try container.encodeIfPresent(clientID, forKey: .clientID)
        try container.encodeIfPresent(providerType, forKey: .providerType)
        try container.encodeIfPresent(profile, forKey: .profile)
        try container.encodeIfPresent(proofKey, forKey: .proofKey)
        try container.encode(details, forKey: .details)
        try container.encodeIfPresent(pendingVerification, forKey: .pendingVerification)
        try container.encodeIfPresent(suspension, forKey: .suspension)
        try container.encodeIfPresent(refusedAt?.timeIntervalSinceReferenceDate, forKey: .refusedAt)
        try container.encodeIfPresent(tokensSince, forKey: .tokensSince)
        try container.encodeIfPresent(sessionNumber, forKey: .sessionNumber)
        try container.encodeIfPresent(agreedScopes?.sorted(), forKey: .agreedScopes)
        if !tokens.isEmpty { try container.encode(tokens.map(\.stored), forKey: .tokens) }
        if !refusals.isEmpty { try container.encode(refusals.map(\.stored), forKey: .refusals) }
        if !agreedResources.isEmpty { try container.encode(agreedResources.sorted(), forKey: .agreedResources) }
        if !grants.isEmpty { try container.encode(grants, forKey: .grants) }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension Credential: Reticent {
    /// Hides all tokens, and shows only the names of the details.
    package var shown: KeyValuePairs<String, Any> {
        [
            "tokenType": tokenType,
            "scopes": scopes,
            "issuedAt": issuedAt,
            "expiresAt": expiresAt as Any,
            "signedInAt": signedInAt,
            "sessionEndsAt": sessionEndsAt as Any,
            "backend": backend.addressAlone,
            "clientID": clientID as Any,
            "profile": profile as Any,
            "details": details.namesAlone,
        ]
    }
}

extension Suspension {
    /// Decodes a stored suspension; `nil` when that fails. The next refresh then finds the cause again.
    fileprivate init?(stored: [String: JSONValue]) {
        var members = JSONMembers(stored)
        guard let days = members.listIfPresent("days")?.compactMap(\.integerValue) else { return nil }
        do throws(JSONMembers.Defect) {
            self.init(
                since: try members.date("since"), reason: try members.text("reason"),
                nextAttempt: try members.dateIfPresent("nextAttempt"), kind: try members.text("kind"),
                days: days.filter { (0...3_000_000).contains($0) }.map { Int($0) })
        } catch {
            return nil
        }
    }
}
