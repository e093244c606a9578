import IdentityKit

/// Why a response cannot be used. Proxies, captive portals and broken deployments cause these, so they are transient
/// and end no session, except for tokens that the settings do not allow.
public enum InvalidResponseReason: Sendable, Equatable {
    /// The status is an error and the body has no OAuth error.
    case failedStatus(Int)
    /// The status is an error and the body an HTML page, as proxies and captive portals send them.
    case errorPage(Int)
    /// The server asks to wait: the status is 429, 408, 425, or 503 with `Retry-After`, and the body has no OAuth
    /// error. The duration is limited to an hour; `nil` if the server names none.
    case asksToWait(Int, Duration?)
    /// The status is a success other than the one the RFC names.
    case unexpectedStatus(Int)
    /// The response is a redirect, which is never followed because the request contains secrets.
    case redirected(Int)
    /// The body cannot be read, and its `Content-Type`, `nil` if absent, is not the one of the RFC; often an HTML page.
    case wrongContentType(String?)
    /// The body is larger than the limit, in bytes.
    case tooLarge(limit: Int)
    /// The body is not JSON or not a JSON object.
    case malformedJSON
    /// The body is not a form in UTF-8.
    case malformedForm
    /// A JSON object contains a member twice, so two readers may disagree about its value.
    case duplicateMember(String)
    /// A required member is absent.
    case missingMember(String)
    /// The access token is in another member, `name`, of the object at `path` or of the document itself; a setting can name it.
    case tokenElsewhere(path: String?, name: String)
    /// A member has the wrong type or form.
    case invalidMember(String)
    /// The access token is of a type this client cannot present (RFC 6749 section 7.1).
    case unsupportedTokenType(TokenType)
}

extension InvalidResponseReason: ErrorReason {
    var code: String {
        switch self {
        case .failedStatus: "answer_failed_status"
        case .errorPage: "answer_error_page"
        case .asksToWait: "answer_asks_to_wait"
        case .unexpectedStatus: "answer_unexpected_status"
        case .redirected: "answer_redirected"
        case .wrongContentType: "answer_wrong_content_type"
        case .tooLarge: "answer_too_large"
        case .malformedJSON: "answer_malformed_json"
        case .malformedForm: "answer_malformed_form"
        case .duplicateMember: "answer_duplicate_member"
        case .missingMember: "answer_missing_member"
        case .tokenElsewhere: "answer_token_elsewhere"
        case .invalidMember: "answer_invalid_member"
        case .unsupportedTokenType: "answer_unsupported_token_type"
        }
    }

    var failureClass: FailureClass {
        switch self {
        case .unsupportedTokenType, .tokenElsewhere, .missingMember("token_type"): .definitive
        default: .transient
        }
    }

    var message: String {
        switch self {
        case .failedStatus(let status): "HTTP status \(status) without an OAuth error. Try again later."
        case .errorPage(let status):
            "it is a page with HTTP status \(status), which something in front of the server may have made. Try again later."
        case .asksToWait(let status, let duration):
            "the server asked to wait\(duration.map(WaitRequest.text) ?? "") (HTTP status \(status)). Try again later."
        case .unexpectedStatus(let status): "HTTP status \(status) was not expected."
        case .redirected(let status): "it is a redirect (HTTP status \(status)). Check the endpoint and the network."
        case .wrongContentType(let type): "its content type is \(type.map(sanitized) ?? "missing")."
        case .tooLarge(let limit): "it is larger than \(limit) bytes."
        case .malformedJSON: "it is not a JSON object."
        case .malformedForm: "it is not a form."
        case .duplicateMember(let name): "it names the member \(sanitized(name)) twice."
        case .missingMember("token_type"):
            "the member token_type is missing. Set tokenResponse.assumesBearer if its access tokens are bearer tokens."
        case .missingMember(let name): "the member \(name) is missing."
        case .tokenElsewhere(let path, let name): Self.message(path, name)
        case .invalidMember(let name): "the member \(name) has the wrong form."
        case .unsupportedTokenType(let type): Self.message(for: type)
        }
    }

    private static func message(for type: TokenType) -> String {
        switch type {
        case .bearer:
            "the token type is Bearer, and bindsTokens asks for tokens that are bound to a key. "
                + "Turn DPoP on for this client at the server, or sign in again without bindsTokens."
        case .dpop:
            "the token type is DPoP, and no key was proved. Set bindsTokens, or turn DPoP off for this client at the server."
        default: "the token type \(sanitized(type.rawValue)) is not supported."
        }
    }

    private static func message(_ path: String?, _ name: String) -> String {
        var settings = path.map { ["tokenResponse.memberPath to \"\(sanitized($0))\""] } ?? []
        if !["access_token", "accessToken"].contains(name) {
            settings.append("tokenResponse.names to give access_token the name \"\(sanitized(name))\"")
        }
        return "its access token is in another member. Set \(settings.joined(separator: " and "))."
    }
}

/// A short text from the wire, fit for a message: printable ASCII of at most 80 characters, without tokens.
func sanitized(_ text: String) -> String { sanitized(text, upTo: 80) }

func sanitized(_ text: String, upTo limit: Int) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit).map { (" "..."~").contains($0) ? $0 : "?" }))
        .withoutTokens
}
