/// The endpoint of a server for one method and path.
struct Route<Call: Sendable>: Sendable {
    /// A method of `Call` that handles the request. If the method throws an error that is not of the server's own error type,
    /// the server responds with an internal error.
    typealias Endpoint = @Sendable (Call) -> () throws -> LocalResponse

    let method: String
    let path: String
    let endpoint: Endpoint

    init(_ method: String, _ path: String, _ endpoint: @escaping Endpoint) {
        (self.method, self.path, self.endpoint) = (method, path, endpoint)
    }
}

/// Selects the endpoint for a request by its method and path.
struct Router<Call: Sendable>: Sendable {
    /// The routes of the server. The first one that matches is used.
    let routes: [Route<Call>]
    /// Whether paths are compared like in Express: ignoring case and a trailing slash, with `:name` for any segment.
    var comparesAsExpress = false
    /// Whether `HEAD` is handled like `GET`; the listener omits the body.
    var takesHead = false
    /// Responds if no route has the request's method and path. `methods` are the methods of the routes with this path; empty
    /// for an unknown path.
    let otherwise: @Sendable (_ call: Call, _ path: String, _ methods: [String]) throws -> LocalResponse

    /// Returns the response of the first matching route's endpoint, or of ``otherwise`` if no route matches.
    /// - Parameter call: creates the call from the values of the `:name` segments.
    /// - Throws: the error of the endpoint, or of ``otherwise``.
    func response(
        to method: String, _ path: String, call: (_ parameters: [String: String]) -> Call
    ) throws -> LocalResponse {
        let method = takesHead && method == "HEAD" ? "GET" : method
        var methods: [String] = []
        for route in routes {
            guard let parameters = comparesAsExpress ? Self.values(in: path, of: route) : path == route.path ? [:] : nil
            else { continue }
            if route.method == method { return try route.endpoint(call(parameters))() }
            methods.append(route.method)
        }
        return try otherwise(call([:]), path, methods)
    }

    /// Returns the values of the route's `:name` segments; `nil` if the path does not match.
    private static func values(in path: String, of route: Route<Call>) -> [String: String]? {
        let (parts, segments) = (path.split(separator: "/"), route.path.split(separator: "/"))
        guard parts.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, part) in zip(segments, parts) {
            if segment.hasPrefix(":") {
                values[String(segment.dropFirst())] = String(part)
            } else if segment.lowercased() != part.lowercased() {
                return nil
            }
        }
        return values
    }
}
