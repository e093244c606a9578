import IdentityKit

/// An error response (RFC 6749 sections 4.1.2.1 and 5.2). Printing shows only the code and the status.
/// ``OAuthError/message`` quotes the description on one line, without any text that could be a token.
public struct ErrorResponse: Sendable, Hashable, CustomStringConvertible {
    public let error: OAuthErrorCode
    /// The `error_description`, or else the member `message` of a JSON body, in the server's words for developers.
    public let errorDescription: String?
    /// The `error_uri`: the address of a page about the error.
    public let errorURI: String?
    /// The HTTP status; `nil` for an error in a callback, and for a device code that expires while this device polls.
    public let status: Int?
    /// The time to wait, as `Retry-After` states it, an hour at most; `nil` without a readable header.
    public let retryAfter: Duration?
    /// An additional sentence for a person, which says for example who refused or which setting helps. Comparisons ignore it.
    private(set) var note: String?

    /// Returns a copy with `note` as its additional sentence for a person.
    func noting(_ note: String) -> ErrorResponse {
        var noted = self
        noted.note = note
        return noted
    }

    /// Returns a copy with `<redacted>` in place of `secret`, which a server may repeat in its texts. A secret of fewer
    /// than eight characters is not replaced, because so short a text also occurs by chance.
    func hiding(_ secret: Secret?) -> ErrorResponse {
        guard let text = secret?.reveal(), text.count >= 8 else { return self }
        func hidden(_ said: String) -> String { said.replacing(text, with: "<redacted>") }
        var copy = ErrorResponse(
            error: OAuthErrorCode(rawValue: hidden(error.rawValue)), errorDescription: errorDescription.map(hidden),
            errorURI: errorURI.map(hidden), status: status, retryAfter: retryAfter)
        copy.note = note
        return copy
    }

    package init(
        error: OAuthErrorCode, errorDescription: String? = nil, errorURI: String? = nil, status: Int? = nil,
        retryAfter: Duration? = nil
    ) {
        self.error = error
        self.errorDescription = errorDescription
        self.errorURI = errorURI
        self.status = status
        self.retryAfter = retryAfter
    }

    /// The server's code and the HTTP status, such as `invalid_grant (HTTP 400)`.
    public var description: String {
        code + (status.map { " (HTTP \($0))" } ?? "")
    }
}

extension ErrorResponse {
    /// Compares everything that the server sent; the additional sentence is ignored.
    public static func == (left: ErrorResponse, right: ErrorResponse) -> Bool { left.said == right.said }

    /// Hashes everything that the server sent, without the additional sentence.
    public func hash(into hasher: inout Hasher) { hasher.combine(said) }

    private var said: [AnyHashable?] { [error, errorDescription, errorURI, status, retryAfter] }
}

extension ErrorResponse: Reticent {
    /// Shows the code and the status, without the server's texts.
    package var shown: KeyValuePairs<String, Any> { ["error": code, "status": status as Any] }
}

extension ErrorResponse: ErrorReason {
    /// The server's code if it is a word of fewer than 40 letters, digits, `_`, `-` and `.`, otherwise
    /// `unreadable_error`, because servers may put any text there, even a token.
    var code: String {
        let word = error.rawValue
        let isPlain = word.utf8.count < 40 && word.utf8.allSatisfy { Self.codeCharacters.contains($0) }
        return isPlain && !word.isEmpty ? word : "unreadable_error"
    }

    private static let codeCharacters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.".utf8)

    /// Transient if the status shows that the server failed or asks to wait, whatever the error code. Otherwise
    /// definitive for codes that state a lasting fact, and transient for all others, because an unknown code must not
    /// end a session.
    var failureClass: FailureClass {
        if let status, status >= 500 || [408, 425, 429].contains(status) { return .transient }
        return Self.definitiveCodes.contains(error) ? .definitive : .transient
    }

    private static let definitiveCodes: Set<OAuthErrorCode> = [
        .invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType, .invalidScope,
        .accessDenied, .unsupportedResponseType, .invalidToken, .insufficientScope, .unsupportedTokenType,
        .invalidTarget, .invalidRedirectURI, .invalidClientMetadata, .expiredToken, .invalidDPoPProof,
        .insufficientUserAuthentication, .interactionRequired,
        .loginRequired, .accountSelectionRequired, .consentRequired,
    ]

    /// The sentence ` The server says: "…".` with the server's description, to append to a message; empty without a
    /// description.
    package var quotation: String {
        let text = (errorDescription ?? "").asServerText(or: "")
        // The surrounding sentence adds a period, so a single period at the end is removed; an ellipsis stays.
        let quoted = text.hasSuffix("..") ? text : text.withoutFinalPeriod
        return text.isEmpty ? "" : " The server says: \"\(quoted)\"."
    }

    var message: String { advice + (note.map { " " + $0 } ?? "") + quotation }

    private var advice: String {
        if let status, WaitRequest.isMade(by: status, retryAfter) {
            return "The server asked to wait\(retryAfter.map(WaitRequest.text) ?? "") (\(code)). Try again later."
        }
        // A failing server may send the codes below too, but then it has not decided anything.
        if let status, status >= 500 { return "The server failed (HTTP status \(status), \(code)). Try again later." }
        return switch error {
        case .accessDenied: "The sign-in was refused or cancelled."
        case .invalidGrant: "The server no longer accepts this sign-in. Sign in again."
        case .invalidClient: "The server does not accept this client. Check the client identifier and its credentials."
        case .invalidScope: "The server does not grant the scopes asked for. Check the configured scopes."
        case .invalidToken: "The server no longer accepts the access token. Refresh it or sign in again."
        case .insufficientScope: "The access token does not cover this request. Ask for the missing scopes."
        case .expiredToken: "The sign-in took too long. Start it again."
        case .loginRequired, .interactionRequired, .consentRequired, .accountSelectionRequired:
            "The server needs the person to sign in (\(code))."
        case .serverError, .temporarilyUnavailable, .slowDown:
            "The server cannot answer now (\(code)). Try again later."
        default: "The server refused the request (\(code)). Check the client's settings at the server."
        }
    }
}
