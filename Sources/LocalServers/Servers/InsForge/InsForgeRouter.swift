import Foundation
import IdentityKit

/// Answers one method and path.
protocol InsForgeEndpoint: Sendable {
    /// - Throws: ``InsForgeFailure`` for an error answer; anything else becomes `INTERNAL_ERROR`.
    func respond(to call: InsForgeCall) throws -> LocalResponse
}

/// One request with what its path names and the backend it acts on.
struct InsForgeCall: Sendable {
    let request: LocalRequest
    let parameters: [String: String]
    let backend: InsForgeBackend

    /// Whether session tokens travel in cookies or in the body.
    var clientType: InsForgeClientType { InsForgeClientType(of: request) }

    /// The fields of the JSON body.
    var fields: InsForgeFields { InsForgeFields(body: InsForgeRouter.body(of: request)) }

    func parameter(_ name: String) -> String { parameters[name] ?? "" }
}

/// Finds the endpoint for a request and turns what it throws into an answer.
struct InsForgeRouter: Sendable {
    /// A method and a path whose `:name` segments match anything.
    struct Route: Sendable {
        let method: String
        let segments: [String]
        let endpoint: any InsForgeEndpoint

        init(_ method: String, _ path: String, _ endpoint: any InsForgeEndpoint) {
            self.method = method
            segments = path.split(separator: "/").map(String.init)
            self.endpoint = endpoint
        }

        /// The values of the `:name` segments; `nil` when the path is another one. As in Express, letter case and a
        /// trailing slash do not matter.
        func match(_ path: [Substring]) -> [String: String]? {
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
    }

    let backend: InsForgeBackend

    /// The answer, with the `Date` that the server's platform puts on each (Node's `sendDate`).
    func answer(_ request: LocalRequest) -> LocalResponse {
        respond(to: request).with(header: "Date", HTTPDateText.format(backend.time.now))
    }

    private func respond(to request: LocalRequest) -> LocalResponse {
        do {
            // The body is parsed before anything is routed, so a malformed one wins over every other error.
            guard Self.body(of: request) != nil else {
                throw InsForgeFailure.invalidInput("Unexpected token in JSON", nextActions: InsForgeHint.validJSON)
            }
            let path = request.path.split(separator: "/")
            for route in Self.routes where route.method == request.method {
                guard let parameters = route.match(path) else { continue }
                return try route.endpoint.respond(
                    to: InsForgeCall(request: request, parameters: parameters, backend: backend))
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
