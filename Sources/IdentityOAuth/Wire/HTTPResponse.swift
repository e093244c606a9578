import Foundation
import IdentityKit

/// A reader for an HTTP response of a server. Deviations from the RFCs that `ResponseTolerance` accepts are recorded in
/// `faults`; all others are errors.
struct HTTPResponse {
    let data: Data
    let response: HTTPURLResponse
    /// The largest accepted body, in bytes.
    private let limit: Int
    /// The faults that the response may have and still be used.
    private let tolerance: ResponseTolerance
    /// The server's own name for the member `error`; `nil` if the server uses the name of the RFC.
    private let errorName: String?
    /// The faults found so far, all of them tolerated.
    private let tolerated = ToleratedFaults()

    /// - Parameters:
    ///   - limit: the largest accepted body, in bytes.
    ///   - tolerance: the `ResponseFault`s that a response may have and still be used.
    ///   - errorName: the server's own name for the member `error`, which is read if `error` is absent.
    init(
        _ data: Data, _ response: HTTPURLResponse, limit: Int = ResponseSize.usual,
        tolerating tolerance: ResponseTolerance = .nothing, errorName: String? = nil
    ) {
        self.data = data
        self.response = response
        self.limit = limit
        self.tolerance = tolerance
        self.errorName = errorName
    }

    var faults: [ResponseFault] { tolerated.list }
    /// Whether every fault is tolerated, as in the response to a refresh.
    var isTolerant: Bool { tolerance == .everything }

    /// Records `fault` if the response may have it.
    /// - Throws: ``OAuthError/invalidResponse(_:host:)`` when the response must not have this fault.
    func tolerate(_ fault: ResponseFault) throws {
        guard tolerance.takes(fault) else { throw unusable(fault.reason) }
        tolerated.note(fault)
    }

    var host: String { response.url?.host ?? "the server" }

    /// The media type in lower case, without parameters; `nil` without a `Content-Type`.
    var contentType: String? {
        header("Content-Type")?
            .split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).first
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }

    func header(_ name: String) -> String? {
        response.value(forHTTPHeaderField: name)
    }

    func unusable(_ reason: InvalidResponseReason) -> OAuthError {
        .invalidResponse(reason, host: host)
    }

    /// Returns the result of `read`. If `read` throws a refusal, the host and the HTTP status are added to its message,
    /// because a session's token may be sent to several hosts.
    /// - Throws: what `read` throws, with this addition to ``OAuthError/refused(_:)``.
    func namingItself<Value>(_ read: (HTTPResponse) async throws -> Value) async throws -> Value {
        do {
            return try await read(self)
        } catch OAuthError.refused(let refusal) {
            let origin = "\(host) said so, with HTTP status \(response.statusCode)."
            throw OAuthError.refused(refusal.noting(origin))
        }
    }

    /// Parses the body of a successful response as a JSON object, whatever the content type. A wrong content type is only
    /// recorded as a fault.
    /// - Parameter statuses: the statuses of a successful response. Any other 2xx status is a fault, which may be
    ///   tolerated.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    func object(statuses: [Int] = [200]) throws -> [String: JSONValue] {
        try requireSuccess(statuses)
        try requireContentType(isLabelledJSON)
        return try parsedObject()
    }

    private var isLabelledJSON: Bool { contentType.map { $0.hasSuffix("/json") || $0.hasSuffix("+json") } ?? false }

    /// Parses the body of a successful response, which must be a JSON object or list.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    func document() throws -> JSONValue {
        guard response.statusCode == 200, data.firstSign == UInt8(ascii: "[") else { return .object(try object()) }
        try requireStatus([200])
        try requireContentType(isLabelledJSON)
        do {
            return try StrictJSON.parse(documentBytes)
        } catch .duplicateMember(let name) {
            throw unusable(.duplicateMember(name))
        } catch {
            throw unusable(.malformedJSON)
        }
    }

    /// Reads the members of a successful token response, which is JSON or a form. The values of a form become strings.
    ///
    /// A body that begins with `{` is JSON, whatever its content type. Any other body is a form if `encoding` is `form`. If
    /// `encoding` is `json`, any other body is a form only if the content type is that of a form or `text/plain`, and if the
    /// body has an access token or an error.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    func tokenDocument(in encoding: TokenResponseFormat.Encoding) throws -> [String: JSONValue] {
        try requireSuccess([200])
        let isForm = encoding == .form
        try requireContentType(isForm ? contentType == FormEncoding.contentType : isLabelledJSON)
        let mayBeForm = isForm || [FormEncoding.contentType, "text/plain"].contains(contentType)
        guard mayBeForm, data.firstSign != UInt8(ascii: "{") else { return try parsedObject() }
        guard let fields = formFields else {
            throw unusable(wrongDelivery ?? (isForm ? .malformedForm : .malformedJSON))
        }
        guard isForm || fields.contains(where: { ["access_token", "accessToken", "error"].contains($0.name) }) else {
            return try parsedObject()
        }
        return try fields.reduce(into: [:]) { members, field in
            if members.updateValue(.string(field.value), forKey: field.name) != nil {
                try tolerate(.duplicateMember(field.name))
            }
        }
    }

    /// The fields of the body, read as a form; `nil` for markup, and for a body that cannot be decoded.
    private var formFields: [FormField]? {
        guard data.firstSign != UInt8(ascii: "<") else { return nil }
        return String(bytes: documentBytes, encoding: .utf8).flatMap { FormEncoding.decode($0) }
    }

    /// Returns the members of the token response under the names of the RFCs. The token response is the object at the
    /// `memberPath` of `format`, or the document if `format` has no path.
    ///
    /// Some servers put the tokens of a refresh outside that object. For a refresh, the document is therefore used if there is
    /// no such object, or if the object has no access token.
    /// - Throws: ``OAuthError/refused(_:)`` when the document has an error instead of the object, or
    ///   ``OAuthError/invalidResponse(_:host:)`` when it has neither. Throws nothing for a refresh.
    func members(of document: [String: JSONValue], in format: TokenResponseFormat) throws -> [String: JSONValue] {
        guard let path = format.memberPath else { return format.standardNames(of: document) }
        let members = JSONValue.object(document).value(at: path)?.objectValue.map(format.standardNames)
        if isTolerant {
            return members.flatMap { $0["access_token"] == nil ? nil : $0 } ?? format.standardNames(of: document)
        }
        if let members { return members }
        throw refusal(in: document).map(OAuthError.refused) ?? unusable(.missingMember(path))
    }

    /// Checks that the body is not too large and that the status is one of `statuses`.
    /// - Throws: ``OAuthError/refused(_:)`` when the status is neither 2xx nor 3xx, and the body or a challenge contains an
    ///   OAuth error; otherwise ``OAuthError/invalidResponse(_:host:)``.
    func requireStatus(_ statuses: some Collection<Int>) throws {
        guard data.count <= limit else { throw unusable(.tooLarge(limit: limit)) }
        let status = response.statusCode
        if statuses.contains(status) { return }
        switch status {
        case 200..<300: throw unusable(.unexpectedStatus(status))
        case 300..<400: throw unusable(.redirected(status))
        default:
            if let refusal = refusal ?? challengedRefusal { throw OAuthError.refused(refusal) }
            if WaitRequest.isMade(by: status, retryAfter) { throw unusable(.asksToWait(status, retryAfter)) }
            throw unusable(response.hasPage(data) ? .errorPage(status) : .failedStatus(status))
        }
    }

    /// Does the checks of `requireStatus`, but also accepts and records any other 2xx status if that is tolerated.
    private func requireSuccess(_ statuses: [Int]) throws {
        let status = response.statusCode
        let isOtherSuccess = (200..<300).contains(status) && !statuses.contains(status)
        try requireStatus(isOtherSuccess && tolerance.takes(.status(status)) ? [status] : statuses)
        if isOtherSuccess { try tolerate(.status(status)) }
    }

    private func requireContentType(_ isRight: Bool) throws {
        if !isRight { try tolerate(.contentType(contentType)) }
    }

    /// The likely reason why the body could not be parsed: the response is an HTML page, or has an unexpected 2xx status or a
    /// wrong content type; `nil` if none of these applies.
    private var wrongDelivery: InvalidResponseReason? {
        if tolerance != .nothing, response.isPage { return .errorPage(response.statusCode) }
        return faults.first { $0 != .byteOrderMark && ResponseTolerance.delivery.takes($0) }?.reason
    }

    /// The OAuth error in the JSON object of the body; `nil` if there is none. The content type does not matter: a refusal
    /// grants nothing, and a client that overlooks `invalid_grant` would send a dead refresh token again and again.
    var refusal: ErrorResponse? {
        guard let object = try? parsedObject() else { return nil }
        return refusal(in: object)
    }

    /// The OAuth error in the first `Bearer` or `DPoP` challenge of `WWW-Authenticate` that has one. Resources put the
    /// error there (RFC 6750 section 3, RFC 9449 section 7.1).
    private var challengedRefusal: ErrorResponse? {
        let challenges = header("WWW-Authenticate").map(AuthenticationChallenge.parse) ?? []
        let refusing = challenges.first {
            ($0.isScheme("Bearer") || $0.isScheme("DPoP")) && $0.parameters["error"]?.isErrorText == true
        }
        guard let challenge = refusing, let error = challenge.parameters["error"] else { return nil }
        return ErrorResponse(
            error: OAuthErrorCode(rawValue: error), errorDescription: challenge.parameters["error_description"],
            errorURI: challenge.parameters["error_uri"], status: response.statusCode, retryAfter: retryAfter)
    }

    /// Returns the OAuth error in an already parsed body; `nil` if it has no valid error code.
    func refusal(in object: [String: JSONValue]) -> ErrorResponse? {
        let member = object["error"] ?? errorName.flatMap { object[$0] }
        guard let error = member?.stringValue, error.isErrorText else { return nil }
        return ErrorResponse(
            error: OAuthErrorCode(rawValue: error),
            errorDescription: object["error_description"]?.stringValue ?? object["message"]?.stringValue,
            errorURI: object["error_uri"]?.stringValue,
            status: response.statusCode,
            retryAfter: retryAfter
        )
    }

    /// The time to wait by `Retry-After`, at most one hour; `nil` if the header is absent or unusable.
    private var retryAfter: Duration? {
        header("Retry-After").flatMap { WaitRequest.duration($0, since: HTTPDate.of(response)) }
    }

    private func parsedObject() throws -> [String: JSONValue] {
        do {
            return try StrictJSON.parseObject(
                documentBytes, keepingLast: isTolerant ? { tolerated.note(.duplicateMember($0)) } : nil)
        } catch .duplicateMember(let name) {
            throw unusable(.duplicateMember(name))
        } catch {
            throw unusable(wrongDelivery ?? .malformedJSON)
        }
    }

    /// The body without a byte order mark, which some servers put before JSON. The mark is recorded as a fault.
    private var documentBytes: Data {
        guard data.starts(with: [0xEF, 0xBB, 0xBF]) else { return data }
        tolerated.note(.byteOrderMark)
        return data.dropFirst(3)
    }

    func requiredString(_ name: String, in object: [String: JSONValue]) throws -> String {
        guard let value = try optionalString(name, in: object) else { throw unusable(.missingMember(name)) }
        return value
    }

    /// Returns the token in the required member `name`, of visible ASCII characters and spaces (RFC 6749 appendix A).
    /// - Throws: ``OAuthError/invalidResponse(_:host:)`` when the member is absent, `null`, empty or invalid.
    func requiredToken(_ name: String, in object: [String: JSONValue]) throws -> Secret {
        if let value = try optionalToken(name, in: object) { return value }
        throw unusable(faults.contains(.invalidMember(name)) ? .invalidMember(name) : .missingMember(name))
    }

    /// Returns the token in the optional member `name`, of visible ASCII characters and spaces (RFC 6749 appendix A).
    /// - Returns: `nil` when the member is absent, `null` or empty, or when it is invalid and that is tolerated.
    /// - Throws: ``OAuthError/invalidResponse(_:host:)`` when the member is invalid and that is not tolerated.
    func optionalToken(_ name: String, in object: [String: JSONValue]) throws -> Secret? {
        guard let value = try optionalString(name, in: object) else { return nil }
        guard value.isVisibleText else {
            try tolerate(.invalidMember(name))
            return nil
        }
        return Secret(value)
    }

    /// Returns the text in the optional member `name`.
    /// - Returns: `nil` when the member is absent, `null` or empty, or when it is not a text and that is tolerated.
    /// - Throws: ``OAuthError/invalidResponse(_:host:)`` when the member is not a text and that is not tolerated.
    func optionalString(_ name: String, in object: [String: JSONValue]) throws -> String? {
        switch object[name] {
        case nil, .null: return nil
        case .string(let value): return value.isEmpty ? nil : value
        default:
            try tolerate(.invalidMember(name))
            return nil
        }
    }
}
