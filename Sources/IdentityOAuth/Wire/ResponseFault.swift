/// A harmless deviation of a token response from the RFCs.
///
/// A refresh has spent its refresh token when the response arrives, so the response is used with any of these faults. The
/// response to any other grant may have only the faults ``status(_:)``, ``contentType(_:)`` and ``byteOrderMark``.
package enum ResponseFault: Sendable, Hashable, CustomStringConvertible {
    /// A status of success other than 200, such as 201 (RFC 6749 section 5.1).
    case status(Int)
    /// An unexpected `Content-Type`; `nil` if the response has none. Unless ``TokenResponseFormat/encoding`` is `form`, a
    /// form is read only if its type is `application/x-www-form-urlencoded` or `text/plain`.
    case contentType(String?)
    /// A byte order mark before the body, which JSON must not have (RFC 8259 section 8.1).
    case byteOrderMark
    /// A member that occurs more than once. The last one is used (RFC 8259 section 4).
    case duplicateMember(String)
    /// An optional member that is expected but missing or `null`.
    case missingMember(String)
    /// An optional member of the wrong type or form, which is left out or converted.
    case invalidMember(String)
    /// An unknown `token_type`; `nil` if the member is absent or not a text. The token keeps the type of the session's
    /// earlier token.
    case tokenType(String?)

    /// The fault as a clause about the response, for the event of a session that was refreshed in spite of it.
    package var description: String {
        switch self {
        case .byteOrderMark: "it begins with a byte order mark."
        case .tokenType(nil): "it names no token type."
        case .tokenType(let type?): "the token type \(sanitized(type)) is not known."
        case .status, .contentType, .duplicateMember, .missingMember, .invalidMember: reason.message
        }
    }

    /// The reason of the error for a response that must not have this fault.
    var reason: InvalidResponseReason {
        switch self {
        case .status(let status): .unexpectedStatus(status)
        case .contentType(let type): .wrongContentType(type)
        case .byteOrderMark: .malformedJSON
        case .duplicateMember(let name): .duplicateMember(name)
        case .missingMember(let name): .missingMember(name)
        case .invalidMember(let name): .invalidMember(name)
        case .tokenType(nil): .missingMember("token_type")
        case .tokenType(let type?): .unsupportedTokenType(type)
        }
    }
}

/// The faults that a response may have and still be used.
enum ResponseTolerance {
    /// Only a wrong content type and a byte order mark, because neither changes the meaning of the body.
    case nothing
    /// The faults of ``nothing``, and any successful status. For the response to every grant but a refresh, because the
    /// person may have just completed a sign-in, which would be lost.
    case delivery
    /// All faults, for the response to a refresh, whose refresh token is spent.
    case everything

    func takes(_ fault: ResponseFault) -> Bool {
        switch (self, fault) {
        case (_, .contentType), (_, .byteOrderMark), (.delivery, .status), (.everything, _): true
        case (.nothing, _), (.delivery, _): false
        }
    }
}

/// The tolerated faults of one response, without repetition. At most sixteen are kept, because a server can cause any number
/// of faults.
final class ToleratedFaults {
    private static let limit = 16

    private(set) var list: [ResponseFault] = []

    func note(_ fault: ResponseFault) {
        if list.count < Self.limit, !list.contains(fault) { list.append(fault) }
    }
}
