import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Reads an HTTP response as strictly as the RFCs write it.
struct HTTPResponse {
    let data: Data
    let response: HTTPURLResponse
    /// The largest body that is looked at, in bytes.
    private let limit: Int

    init(_ data: Data, _ response: HTTPURLResponse, limit: Int = ResponseSize.usual) {
        self.data = data
        self.response = response
        self.limit = limit
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

    /// The JSON object of a success.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    func object(
        statuses: [Int] = [200], contentTypes: Set<String> = ["application/json"]
    ) throws -> [String: JSONValue] {
        try requireStatus(statuses)
        guard let contentType, contentTypes.contains(contentType) else {
            throw unusable(.wrongContentType(contentType))
        }
        return try parsedObject()
    }

    /// The fields of a success that is a form, as texts.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    func form() throws -> [String: JSONValue] {
        try requireStatus([200])
        guard let contentType, contentType == FormEncoding.contentType else {
            throw unusable(.wrongContentType(contentType))
        }
        guard let text = String(bytes: data, encoding: .utf8), let fields = FormEncoding.decode(text) else {
            throw unusable(.malformedForm)
        }
        return try fields.reduce(into: [:]) { members, field in
            guard members.updateValue(.string(field.value), forKey: field.name) == nil else {
                throw unusable(.duplicateMember(field.name))
            }
        }
    }

    /// The members of the object at `path`, whose parts are separated by dots; `nil` for the document itself.
    /// - Throws: ``OAuthError/refused(_:)`` for a document that is an error instead, or
    ///   ``OAuthError/invalidResponse(_:host:)``.
    func members(of document: [String: JSONValue], at path: String?) throws -> [String: JSONValue] {
        guard let path else { return document }
        if let members = JSONValue.object(document).value(at: path)?.objectValue { return members }
        throw refusal(in: document).map(OAuthError.refused) ?? unusable(.missingMember(path))
    }

    /// Passes for one of `statuses`.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    func requireStatus(_ statuses: some Collection<Int>) throws {
        guard data.count <= limit else { throw unusable(.tooLarge(limit: limit)) }
        if statuses.contains(response.statusCode) { return }
        switch response.statusCode {
        case 200..<300: throw unusable(.unexpectedStatus(response.statusCode))
        case 300..<400: throw unusable(.redirected(response.statusCode))
        default:
            let status = response.statusCode
            throw (refusal ?? challengedRefusal).map(OAuthError.refused)
                ?? unusable(hasPage ? .errorPage(status) : .failedStatus(status))
        }
    }

    /// Whether the body is a page for people, by its type, or by its look where the type is missing or wrong.
    private var hasPage: Bool {
        if contentType.map(Self.isPage) ?? false { return true }
        let start = data.prefix(64).drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return start.first == UInt8(ascii: "<")
    }

    /// Whether a media type is that of pages.
    static func isPage(_ type: String) -> Bool { ["text/html", "application/xhtml+xml"].contains(type) }

    /// The OAuth error in the body. Its content type does not matter: a refusal grants nothing, and missing a true
    /// `invalid_grant` would repeat a dead request for ever.
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

    /// The OAuth error in a body that was already read.
    func refusal(in object: [String: JSONValue]) -> ErrorResponse? {
        guard let error = object["error"]?.stringValue, error.isErrorText else { return nil }
        return ErrorResponse(
            error: OAuthErrorCode(rawValue: error),
            errorDescription: object["error_description"]?.stringValue,
            errorURI: object["error_uri"]?.stringValue,
            status: response.statusCode,
            retryAfter: retryAfter
        )
    }

    /// `Retry-After` in seconds (RFC 9110 section 10.2.3); the date form is not worth a clock comparison here.
    private var retryAfter: Duration? {
        header("Retry-After").flatMap { Int($0.trimmingCharacters(in: .whitespaces)) }
            .flatMap { (0...86_400).contains($0) ? .seconds($0) : nil }
    }

    private func parsedObject() throws -> [String: JSONValue] {
        do {
            return try StrictJSON.parseObject(data)
        } catch .duplicateMember(let name) {
            throw unusable(.duplicateMember(name))
        } catch {
            throw unusable(.malformedJSON)
        }
    }

    /// A member that must be there and be a string with content.
    func requiredString(_ name: String, in object: [String: JSONValue]) throws -> String {
        guard let value = try optionalString(name, in: object) else { throw unusable(.missingMember(name)) }
        return value
    }

    /// A token that must be there (RFC 6749 appendix A): one that no header can carry is none.
    func requiredToken(_ name: String, in object: [String: JSONValue]) throws -> Secret {
        guard let value = try optionalToken(name, in: object) else { throw unusable(.missingMember(name)) }
        return value
    }

    /// A token that may be missing, `null` or empty (RFC 6749 appendix A).
    func optionalToken(_ name: String, in object: [String: JSONValue]) throws -> Secret? {
        guard let value = try optionalString(name, in: object) else { return nil }
        guard value.isVisibleText else { throw unusable(.invalidMember(name)) }
        return Secret(value)
    }

    /// A member that may be missing, `null` or empty, which all mean the same.
    func optionalString(_ name: String, in object: [String: JSONValue]) throws -> String? {
        switch object[name] {
        case nil, .null: return nil
        case .string(let value): return value.isEmpty ? nil : value
        default: throw unusable(.invalidMember(name))
        }
    }
}
