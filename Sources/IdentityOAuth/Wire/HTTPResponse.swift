import Foundation
import IdentityKit

/// Reads an HTTP response strictly by the RFCs, or tolerantly, when harmless faults are only recorded.
struct HTTPResponse {
    let data: Data
    let response: HTTPURLResponse
    /// The largest accepted body, in bytes.
    private let limit: Int
    /// The faults that the response may have.
    private let tolerance: ResponseTolerance
    /// The server's own name of the member `error`.
    private let errorName: String?
    /// The faults tolerated so far.
    private let tolerated = ToleratedFaults()

    /// - Parameters:
    ///   - limit: the largest accepted body, in bytes.
    ///   - tolerance: the `ResponseFault`s that a response may have and still be used.
    ///   - errorName: the server's own name of the member `error`, which is read if `error` is absent.
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
    /// Whether every fault is tolerated.
    var isTolerant: Bool { tolerance == .everything }

    /// Records `fault` as tolerated.
    /// - Throws: ``OAuthError/invalidResponse(_:host:)`` when the response must not have it.
    func tolerate(_ fault: ResponseFault) throws {
        guard tolerance.takes(fault) else { throw unusable(fault.reason) }
        tolerated.note(fault)
    }

    var host: String { response.url?.host ?? "the server" }

    /// The media type, lower case, without parameters.
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

    /// The result of `read`. An error names the host and the status, because its text is about a token that any of
    /// several hosts may have refused.
    /// - Throws: what `read` throws.
    func namingItself<Value>(_ read: (HTTPResponse) async throws -> Value) async throws -> Value {
        do {
            return try await read(self)
        } catch OAuthError.refused(let refusal) {
            let origin = "\(host) said so, with HTTP status \(response.statusCode)."
            throw OAuthError.refused(refusal.noting(origin))
        }
    }

    /// The JSON object of a successful response, whatever its content type; it must parse as JSON.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    func object(statuses: [Int] = [200]) throws -> [String: JSONValue] {
        try requireSuccess(statuses)
        try requireContentType(isLabelledJSON)
        return try parsedObject()
    }

    private var isLabelledJSON: Bool { contentType.map { $0.hasSuffix("/json") || $0.hasSuffix("+json") } ?? false }

    /// The JSON object or list of a successful response.
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

    /// The members of a successful token response, in JSON or as a form, whose values are texts. The content decides,
    /// not its declared type: JSON with any content type is read as JSON, and `text/plain` may be a form.
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

    /// The fields of a form body; `nil` for any other body.
    private var formFields: [FormField]? {
        guard data.firstSign != UInt8(ascii: "<") else { return nil }
        return String(bytes: documentBytes, encoding: .utf8).flatMap { FormEncoding.decode($0) }
    }

    /// The members of the object at the path that `format` names, or of the document itself. They are renamed to the
    /// names of the RFCs. Some servers put the tokens of a refresh outside that object, so a tolerant reader uses the
    /// document if the object has none.
    /// - Throws: ``OAuthError/refused(_:)`` for a document that is an error instead, or
    ///   ``OAuthError/invalidResponse(_:host:)``.
    func members(of document: [String: JSONValue], in format: TokenResponseFormat) throws -> [String: JSONValue] {
        guard let path = format.memberPath else { return format.standardNames(of: document) }
        let members = JSONValue.object(document).value(at: path)?.objectValue.map(format.standardNames)
        if isTolerant {
            return members.flatMap { $0["access_token"] == nil ? nil : $0 } ?? format.standardNames(of: document)
        }
        if let members { return members }
        throw refusal(in: document).map(OAuthError.refused) ?? unusable(.missingMember(path))
    }

    /// Checks that the status is one of `statuses`.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
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

    /// Checks that the status is one of `statuses`, or any success if that is tolerated.
    private func requireSuccess(_ statuses: [Int]) throws {
        let status = response.statusCode
        let isOtherSuccess = (200..<300).contains(status) && !statuses.contains(status)
        try requireStatus(isOtherSuccess && tolerance.takes(.status(status)) ? [status] : statuses)
        if isOtherSuccess { try tolerate(.status(status)) }
    }

    private func requireContentType(_ isRight: Bool) throws {
        if !isRight { try tolerate(.contentType(contentType)) }
    }

    /// The likely cause of an unreadable document: its status or content type; `nil` if both are right.
    private var wrongDelivery: InvalidResponseReason? {
        if tolerance != .nothing, response.isPage { return .errorPage(response.statusCode) }
        return faults.first { $0 != .byteOrderMark && ResponseTolerance.delivery.takes($0) }?.reason
    }

    /// The OAuth error in the body, whatever its content type: a refusal grants nothing, and overlooking a true
    /// `invalid_grant` would repeat a dead request endlessly.
    var refusal: ErrorResponse? {
        guard let object = try? parsedObject() else { return nil }
        return refusal(in: object)
    }

    /// The OAuth error in `WWW-Authenticate`, where resources put it (RFC 6750 section 3, RFC 9449 section 7.1).
    private var challengedRefusal: ErrorResponse? {
        let challenges = header("WWW-Authenticate").map(AuthenticationChallenge.parse) ?? []
        guard let challenge = challenges.first(where: { $0.isScheme("Bearer") || $0.isScheme("DPoP") }),
            let error = challenge.parameters["error"], error.isErrorText
        else { return nil }
        return ErrorResponse(
            error: OAuthErrorCode(rawValue: error), errorDescription: challenge.parameters["error_description"],
            errorURI: challenge.parameters["error_uri"], status: response.statusCode, retryAfter: retryAfter)
    }

    /// The OAuth error in an already parsed body.
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

    /// Time that the server asks to wait.
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

    /// The body without a byte order mark, which some servers put before it.
    private var documentBytes: Data {
        guard data.starts(with: [0xEF, 0xBB, 0xBF]) else { return data }
        tolerated.note(.byteOrderMark)
        return data.dropFirst(3)
    }

    func requiredString(_ name: String, in object: [String: JSONValue]) throws -> String {
        guard let value = try optionalString(name, in: object) else { throw unusable(.missingMember(name)) }
        return value
    }

    /// A required token (RFC 6749 appendix A). Characters that no header can carry make it invalid.
    func requiredToken(_ name: String, in object: [String: JSONValue]) throws -> Secret {
        if let value = try optionalToken(name, in: object) { return value }
        throw unusable(faults.contains(.invalidMember(name)) ? .invalidMember(name) : .missingMember(name))
    }

    /// An optional token; `null` and an empty text count as absent (RFC 6749 appendix A).
    func optionalToken(_ name: String, in object: [String: JSONValue]) throws -> Secret? {
        guard let value = try optionalString(name, in: object) else { return nil }
        guard value.isVisibleText else {
            try tolerate(.invalidMember(name))
            return nil
        }
        return Secret(value)
    }

    /// An optional member; `null` and an empty text count as absent.
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
