import Foundation
import IdentityKit

/// A request, the parameters of its path, and the backend. Each endpoint is a method of this type.
struct InsForgeCall: Sendable {
    let request: LocalRequest
    let parameters: [String: String]
    let backend: InsForgeBackend

    /// Whether the refresh token travels in a cookie or in the body.
    var clientType: InsForgeClientType { InsForgeClientType(of: request) }

    var fields: InsForgeFields { InsForgeFields(body: Self.body(of: request)) }

    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// Returns the JSON body. A body without content, or with a media type other than JSON, counts as an empty object.
    /// Invalid JSON, and a value that is neither an object nor an array, give `nil`.
    static func body(of request: LocalRequest) -> JSONValue? {
        guard request.contentType == "application/json", !request.body.isEmpty else { return .object([:]) }
        switch request.json {
        case .object(let members): return .object(members)
        case .array(let elements): return .array(elements)
        default: return nil
        }
    }

    /// Returns an error message for invalid JSON, as Node words it. If the body begins with an opening brace and the next
    /// character other than white space is not a quotation mark, the message gives the position of that character.
    fileprivate static func complaint(about body: Data) -> String {
        let isBlank = { (byte: UInt8) in byte == 32 || (9...13).contains(byte) }
        guard let brace = body.firstIndex(where: { !isBlank($0) }), body[brace] == UInt8(ascii: "{"),
            let next = body[(brace + 1)...].firstIndex(where: { !isBlank($0) }), body[next] != UInt8(ascii: "\"")
        else { return "Unexpected token in JSON" }
        return "Expected property name or '}' in JSON at position \(next - body.startIndex)"
    }
}

extension InsForgeBackend {
    /// Returns the server's front page, or an endpoint's response with the `Date` header that Node adds (`sendDate`).
    public func response(to request: LocalRequest) -> LocalResponse {
        frontPage(for: request) ?? routed(request).with(header: "Date", HTTPDateText.format(time.now))
    }

    /// Returns the response to a failed request. With `hasGeneralErrorCodes` in the configuration, the error code is that of
    /// servers before May 2026.
    func response(to failure: InsForgeServerError) -> LocalResponse {
        (rules.legacy.hasGeneralErrorCodes ? failure.withGeneralCode : failure).response
    }

    private func routed(_ request: LocalRequest) -> LocalResponse {
        do {
            // The body is parsed before routing, so a malformed body is reported before any other error.
            guard InsForgeCall.body(of: request) != nil else {
                throw InsForgeServerError.invalidInput(
                    InsForgeCall.complaint(about: request.body), nextActions: InsForgeHint.validJSON)
            }
            return try InsForgeCall.router.response(to: request.method, request.path) {
                InsForgeCall(request: request, parameters: $0, backend: self)
            }
        } catch let failure as InsForgeServerError {
            return response(to: failure)
        } catch is InsForgeNotFoundError {
            return notFound(request)
        } catch {
            return InsForgeServerError.internalError(error.localizedDescription).response
        }
    }

    private func notFound(_ request: LocalRequest) -> LocalResponse {
        if rules.legacy.notFoundIsHTML {
            let page = "<!DOCTYPE html>\n<pre>Cannot \(request.method) this address</pre>\n"
            return LocalResponse(
                status: 404,
                headers: [
                    ("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", "default-src 'none'"),
                    ("X-Content-Type-Options", "nosniff"),
                ], body: Data(page.utf8))
        }
        return InsForgeServerError(
            404, "NOT_FOUND", "Endpoint \(request.path) not found",
            nextActions: "Please check the API documentation for available endpoints"
        ).response
    }
}
