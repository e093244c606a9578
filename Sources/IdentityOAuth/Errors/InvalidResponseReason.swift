import IdentityKit

/// The reason why a response cannot be used.
///
/// Most reasons are transient, because proxies, captive portals and broken deployments cause such responses. Three are
/// definitive, because only a change of the settings or of the server helps: ``unsupportedTokenType(_:)``,
/// ``tokenElsewhere(path:name:)``, and a ``missingMember(_:)`` named `token_type`.
public enum InvalidResponseReason: Sendable, Equatable {
    /// The status is an error. Neither the body nor `WWW-Authenticate` has an OAuth error, and the body is not an HTML page.
    case failedStatus(Int)
    /// The response is an HTML page, as proxies and captive portals send it. The status is usually an error. In the response
    /// to a token request, it may also be a success.
    case errorPage(Int)
    /// The server asks to wait, and the response has no OAuth error. The status is 408, 425 or 429, or it is 503 and
    /// `Retry-After` is readable. The duration is limited to an hour; `nil` if `Retry-After` is absent or unreadable.
    case asksToWait(Int, Duration?)
    /// The status is a success other than the one the RFC names.
    case unexpectedStatus(Int)
    /// The response is a redirect. Redirects are not followed, because the request may contain secrets.
    case redirected(Int)
    /// The body cannot be read, and its `Content-Type` is not the one that the RFC requires. The value is `nil` if the header
    /// is absent. Also for a signed userinfo response where only JSON is accepted.
    case wrongContentType(String?)
    /// The body is larger than the limit, in bytes.
    case tooLarge(limit: Int)
    /// The body is not JSON, or is not an object where one is required.
    case malformedJSON
    /// The body is not a form in UTF-8.
    case malformedForm
    /// A JSON object has two members of this name, or a form has two such fields, so two readers may disagree about the value.
    case duplicateMember(String)
    /// A required member is absent, `null` or an empty string.
    case missingMember(String)
    /// The access token is not in `access_token`, but probably in the member `name` of the object at `path`. A `path` of
    /// `nil` means the document itself. The setting `tokenResponse.memberPath` accepts such a path, and
    /// `tokenResponse.names` such a name.
    case tokenElsewhere(path: String?, name: String)
    /// A member has the wrong type or form.
    case invalidMember(String)
    /// The client cannot present an access token of this type (RFC 6749 section 7.1), or the settings require another type.
    case unsupportedTokenType(String)
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
        case .unsupportedTokenType(let type): Self.message(for: TokenType(rawValue: type))
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

/// Returns the first 80 Unicode scalars of a text from the network, for a message: without tokens, and with `?` for each
/// scalar that is not printable ASCII.
func sanitized(_ text: String) -> String { sanitized(text, upTo: 80) }

func sanitized(_ text: String, upTo limit: Int) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit).map { (" "..."~").contains($0) ? $0 : "?" }))
        .withoutTokens
}
