/// A harmless deviation of a token response from the RFCs.
///
/// A refresh has spent its token when the response arrives, so that response is used with any of these faults. The
/// response to a sign-in may have those of its delivery: ``status(_:)``, ``contentType(_:)`` and ``byteOrderMark``.
package enum ResponseFault: Sendable, Hashable, CustomStringConvertible {
    /// A success of another status than 200 (RFC 6749 section 5.1).
    case status(Int)
    /// A wrong `Content-Type`; `nil` for none. Fatal for a form.
    case contentType(String?)
    /// A byte order mark before the document (RFC 8259 section 8.1).
    case byteOrderMark
    /// A repeated member, of which the last one is used (RFC 8259 section 4).
    case duplicateMember(String)
    /// An optional member that is expected but missing or `null`.
    case missingMember(String)
    /// An optional member of the wrong type or form, which is left out or converted.
    case invalidMember(String)
    /// An unknown `token_type`, or for `nil` one that is absent or not a text; the session's type stays.
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

    /// The error for a response that must not have this fault.
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

/// The faults that a response may have.
enum ResponseTolerance {
    /// Only a wrong content type and a byte order mark, which change the meaning of no document.
    case nothing
    /// Any successful status as well, for tokens of a sign-in that a person has just completed.
    case delivery
    /// All faults, for responses to a grant that is spent.
    case everything

    func takes(_ fault: ResponseFault) -> Bool {
        switch (self, fault) {
        case (_, .contentType), (_, .byteOrderMark), (.delivery, .status), (.everything, _): true
        case (.nothing, _), (.delivery, _): false
        }
    }
}

/// The tolerated faults of one response, each once. Their number is limited, because a server chooses them.
final class ToleratedFaults {
    private static let limit = 16

    private(set) var list: [ResponseFault] = []

    func note(_ fault: ResponseFault) {
        if list.count < Self.limit, !list.contains(fault) { list.append(fault) }
    }
}
