import Foundation
import IdentityKit

/// One request with what its path names and the backend it acts on. The endpoints are its methods.
struct InsForgeCall: Sendable {
    let request: LocalRequest
    let parameters: [String: String]
    let backend: InsForgeBackend

    /// Whether session tokens travel in cookies or in the body.
    var clientType: InsForgeClientType { InsForgeClientType(of: request) }

    var fields: InsForgeFields { InsForgeFields(body: InsForgeRouter.body(of: request)) }

    func parameter(_ name: String) -> String { parameters[name] ?? "" }
}

/// Finds the endpoint for a request and turns what it throws into a response.
struct InsForgeRouter: Sendable {
    let backend: InsForgeBackend

    /// The response, with the `Date` that the server's platform adds to each (Node's `sendDate`).
    func response(to request: LocalRequest) -> LocalResponse {
        respond(to: request).with(header: "Date", HTTPDateText.format(backend.time.now))
    }

    private func respond(to request: LocalRequest) -> LocalResponse {
        do {
            // The body is parsed before anything is routed, so a malformed one wins over every other error.
            guard Self.body(of: request) != nil else {
                throw InsForgeFailure.invalidInput(
                    Self.complaint(about: request.body), nextActions: InsForgeHint.validJSON)
            }
            let path = request.path.split(separator: "/")
            for route in Self.routes where route.method == request.method {
                guard let parameters = Self.match(path, route) else { continue }
                return try route.endpoint(InsForgeCall(request: request, parameters: parameters, backend: backend))()
            }
            return notFound(request)
        } catch let failure as InsForgeFailure {
            return (backend.rules.legacy.hasGeneralErrorCodes ? failure.withGeneralCode : failure).response
        } catch is InsForgeNotFound {
            return notFound(request)
        } catch {
            return InsForgeFailure.internalError(error.localizedDescription).response
        }
    }

    /// The values of the route's `:name` segments; `nil` for another path. As in Express, letter case and a trailing slash
    /// do not matter.
    private static func match(_ path: [Substring], _ route: Route<InsForgeCall>) -> [String: String]? {
        let segments = route.path.split(separator: "/")
        guard path.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (segment, part) in zip(segments, path) {
            if segment.hasPrefix(":") {
                parameters[String(segment.dropFirst())] = String(part)
            } else if segment.caseInsensitiveCompare(part) != .orderedSame {
                return nil
            }
        }
        return parameters
    }

    /// The JSON body: an empty object without a JSON media type or without content, `nil` when it is not an object or
    /// an array.
    static func body(of request: LocalRequest) -> JSONValue? {
        guard request.contentType == "application/json", !request.body.isEmpty else { return .object([:]) }
        switch request.json {
        case .object(let members): return .object(members)
        case .array(let elements): return .array(elements)
        default: return nil
        }
    }

    /// Node's error message for an object without a first name, or for any other invalid JSON.
    private static func complaint(about body: Data) -> String {
        let isBlank = { (byte: UInt8) in byte == 32 || (9...13).contains(byte) }
        guard let brace = body.firstIndex(where: { !isBlank($0) }), body[brace] == UInt8(ascii: "{"),
            let next = body[(brace + 1)...].firstIndex(where: { !isBlank($0) }), body[next] != UInt8(ascii: "\"")
        else { return "Unexpected token in JSON" }
        return "Expected property name or '}' in JSON at position \(next - body.startIndex)"
    }

    private func notFound(_ request: LocalRequest) -> LocalResponse {
        if backend.rules.legacy.notFoundIsHTML {
            let page = "<!DOCTYPE html>\n<pre>Cannot \(request.method) this address</pre>\n"
            return LocalResponse(
                status: 404,
                headers: [
                    ("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", "default-src 'none'"),
                    ("X-Content-Type-Options", "nosniff"),
                ], body: Data(page.utf8))
        }
        return InsForgeFailure(
            404, "NOT_FOUND", "Endpoint \(request.path) not found",
            nextActions: "Please check the API documentation for available endpoints"
        ).response
    }
}
