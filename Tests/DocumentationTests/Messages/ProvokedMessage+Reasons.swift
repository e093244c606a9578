import Foundation
import Testing

@testable import IdentityOAuth

extension ProvokedMessage {
    /// An `OAuthError` with each reason.
    static func oauthReasons() throws -> [ProvokedMessage] {
        let url = try #require(URL(string: "https://id.example.com/.well-known/openid-configuration"))
        let place = MetadataPlace(url, status: 404)
        let slow = MetadataPlace(url, status: 503)
        let metadata: [InvalidMetadataReason] = [
            .issuerMismatch(expected: "https://id.example.com", received: "https://id.example.com/"),
            .issuerMismatch(expected: "https://login.example.com", received: "https://login.example.com/{tenantid}"),
            .insecureEndpoint(member: "token_endpoint"), .invalidEndpoint(member: "token_endpoint"),
            .missingEndpoint(member: "token_endpoint"),
            .missingEndpoint(member: "pushed_authorization_request_endpoint"), .missingCodeChallengeMethod,
            .notFound([place]), .notFound([slow]),
        ]
        let resources: [InvalidResourceReason] = [
            .notDescribed(host: "api.example.com", places: [place]),
            .otherResource(expected: "https://api.example.com", received: "https://api.example.com/v1"),
            .missingMember("authorization_servers"), .insecureMetadata, .noUsableMethod,
            .otherAuthorizationServer("https://id.example.com"),
            .serverChanged(resource: "api.example.com", from: "old.example.com", to: "id.example.com"),
            .requestOutside(host: "www.example.com"),
        ]
        return metadata.map { ProvokedMessage(naming: $0, OAuthError.invalidMetadata($0).message) }
            + resources.map { ProvokedMessage(naming: $0, OAuthError.invalidResource($0).message) }
            + responses.map {
                ProvokedMessage(naming: $0, OAuthError.invalidResponse($0, host: "id.example.com").message)
            }
            + callbacks.map { ProvokedMessage(naming: $0, OAuthError.invalidCallback($0).message) }
            + idTokens.map { ProvokedMessage(naming: $0, OAuthError.invalidIDToken($0).message) }
            + tokens.map { ProvokedMessage(naming: $0, OAuthError.invalidToken($0).message) }
            + settings.map { ProvokedMessage(naming: $0, OAuthError.invalidSetting($0).message) }
            + userInfo.map { ProvokedMessage(naming: $0, OAuthError.invalidUserInfo($0).message) }
            + registrations.map { ProvokedMessage(naming: $0, OAuthError.invalidRegistration($0).message) }
    }

    private static let responses: [InvalidResponseReason] = [
        .failedStatus(500), .errorPage(502), .asksToWait(429, .milliseconds(29_500)), .asksToWait(503, nil),
        .unexpectedStatus(204), .redirected(302), .wrongContentType("text/html"), .wrongContentType(nil),
        .tooLarge(limit: 65536), .malformedJSON, .malformedForm, .duplicateMember("access_token"),
        .missingMember("access_token"), .missingMember("token_type"),
        .tokenElsewhere(path: "data", name: "access_token"), .tokenElsewhere(path: nil, name: "accessKey"),
        .invalidMember("expires_in"), .unsupportedTokenType("Bearer"), .unsupportedTokenType("DPoP"),
        .unsupportedTokenType("mac"),
    ]

    private static let callbacks: [InvalidCallbackReason] = [
        .malformed, .redirectMismatch, .containsUserInfo, .repeatedParameter("code"), .parametersInFragment,
        .containsToken, .unknownFlow, .flowOver, .flowReplaced, .signedOut, .unconfirmedError("access_denied"),
        .stateMissing, .stateMismatch, .flowExpired, .issuerMissing,
        .issuerMismatch(expected: "https://id.example.com", received: "https://other.example.com"), .codeMissing,
    ]

    private static let idTokens: [InvalidIDTokenReason] = [
        .missing, .wrongType("at+jwt"), .issuerMissing,
        .issuerMismatch(expected: "https://id.example.com", received: "https://other.example.com"),
        .tenantMissing(claim: "tid"), .tenantNotAccepted("contoso"), .keyOfAnotherTenant(owner: "fabrikam"),
        .subjectMissing, .subjectMismatch, .audienceMissing, .audienceMismatch,
        .authorizedPartyMissing(["app", "other"]), .authorizedPartyMismatch, .expirationMissing,
        .expired(at: date, now: date.addingTimeInterval(600.4)),
        .expired(at: date, now: date.addingTimeInterval(600.4), deviceTime: date.addingTimeInterval(9000)),
        .issuedAtMissing, .issuedInFuture(at: date.addingTimeInterval(900), now: date),
        .notYetValid(at: date.addingTimeInterval(900), now: date), .nonceMissing, .nonceMismatch,
        .accessTokenHashMismatch, .authenticationTimeMissing,
        .authenticationTooOld(at: date, now: date.addingTimeInterval(900)), .authenticationTimeMismatch,
        .authenticationContextMissing, .authenticationContextMismatch("phr"), .malformedClaim("aud"),
    ]

    private static let tokens: [InvalidTokenReason] = [
        .tooLarge(limit: 65536), .malformed, .malformedClaims, .duplicateMember("sub"), .encrypted, .nested,
        .criticalExtension, .unacceptedAlgorithm("none"), .keyNotFound, .ambiguousKey,
        .unfitKey(SigningAlgorithm(rawValue: "ES256")), .invalidSignature, .unusableKey, .weakKey, .malformedKeySet,
    ]

    private static let settings: [InvalidSettingReason] = [
        .invalidIssuer("http://id.example.com"), .insecureEndpoint(host: "id.example.com"), .invalidRedirectURI,
        .reservedParameter("state"), .invalidCodeVerifier, .invalidParameter("max_age"),
        .invalidParameter("scope"), .invalidParameter("resource"), .unusableKey, .unsignedRequest,
        .shortSecret, .weakKey,
    ]

    private static let userInfo: [InvalidUserInfoReason] = [
        .subjectMismatch, .missingIdentifier(member: "id"), .issuerMismatch, .audienceMismatch, .wrongType("at+jwt"),
    ]

    private static let registrations: [InvalidRegistrationReason] = [
        .notSupported, .refused(ErrorResponse(error: .invalidRedirectURI, status: 400)),
        .refused(ErrorResponse(error: .serverError, status: 503)), .redirectURIReplaced,
        .unsupportedAuthentication(method: "tls_client_auth"), .expired, .unknownClient, .notManageable,
    ]
}
