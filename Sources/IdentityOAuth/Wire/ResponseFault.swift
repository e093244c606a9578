/// Oddity of a token response that makes no difference to it.
///
/// A refresh token that was sent is spent by then, so the response to it is used although it has any of these. The response
/// to a sign-in may have those that are about how the document is delivered: ``status(_:)``, ``contentType(_:)`` and
/// ``byteOrderMark``.
package enum ResponseFault: Sendable, Hashable, CustomStringConvertible {
    /// A success of another status than 200 (RFC 6749 section 5.1).
    case status(Int)
    /// A wrong `Content-Type`; `nil` for none. A form is refused for it.
    case contentType(String?)
    /// A byte order mark in front of the document (RFC 8259 section 8.1).
    case byteOrderMark
    /// A member that is there twice: the last one counts (RFC 8259 section 4).
    case duplicateMember(String)
    /// A member that is not needed and is missing, or `null`.
    case missingMember(String)
    /// An optional member of another type or form: it is left out, or read as what it means.
    case invalidMember(String)
    /// A `token_type` that is unknown, or, with `nil`, missing or no text: the session's own continues.
    case tokenType(String?)

    /// Description in a few words.
    package var description: String {
        switch self {
        case .byteOrderMark: "it begins with a byte order mark."
        case .tokenType(nil): "it names no token type."
        case .tokenType(let type?): "the token type \(sanitized(type)) is not known."
        case .status, .contentType, .duplicateMember, .missingMember, .invalidMember: reason.message
        }
    }

    /// Why a response to anything else cannot be used.
    var reason: InvalidResponseReason {
        switch self {
        case .status(let status): .unexpectedStatus(status)
        case .contentType(let type): .wrongContentType(type)
        case .byteOrderMark: .malformedJSON
        case .duplicateMember(let name): .duplicateMember(name)
        case .missingMember(let name): .missingMember(name)
        case .invalidMember(let name): .invalidMember(name)
        case .tokenType(nil): .missingMember("token_type")
        case .tokenType(let type?): .unsupportedTokenType(TokenType(rawValue: type))
        }
    }
}

/// Which faults a response may have.
enum ResponseTolerance {
    /// None but the content type and a byte order mark, which matter to no document.
    case nothing
    /// Any successful status, for tokens that a person has just signed in for.
    case delivery
    /// Every one, where what was sent is spent.
    case everything

    func takes(_ fault: ResponseFault) -> Bool {
        switch (self, fault) {
        case (_, .contentType), (_, .byteOrderMark), (.delivery, .status), (.everything, _): true
        case (.nothing, _), (.delivery, _): false
        }
    }
}

/// The faults of one response that is read tolerantly, each once. A server does not decide how many are kept.
final class ToleratedFaults {
    private static let limit = 16

    private(set) var list: [ResponseFault] = []

    func note(_ fault: ResponseFault) {
        if list.count < Self.limit, !list.contains(fault) { list.append(fault) }
    }
}
