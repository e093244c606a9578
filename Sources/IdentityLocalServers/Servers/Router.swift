/// A server's action for one method and path.
struct Route<Call: Sendable>: Sendable {
    /// A method of the call. An error that is not the server's own failure type becomes an internal error.
    typealias Endpoint = @Sendable (Call) -> () throws -> LocalResponse

    let method: String
    let path: String
    let endpoint: Endpoint

    init(_ method: String, _ path: String, _ endpoint: @escaping Endpoint) {
        (self.method, self.path, self.endpoint) = (method, path, endpoint)
    }
}

/// The addresses of a server, and how a request finds its endpoint among them.
struct Router<Call: Sendable>: Sendable {
    /// The first match counts.
    let routes: [Route<Call>]
    /// Whether paths are compared as Express does: letter case and a trailing slash do not matter, and a segment `:name`
    /// stands for any.
    var comparesAsExpress = false
    /// Whether `HEAD` is `GET`; the listener leaves out the body.
    var takesHead = false
    /// The response where no route has the method; `methods` are those that the path has, none for an unknown path.
    let otherwise: @Sendable (_ call: Call, _ path: String, _ methods: [String]) throws -> LocalResponse

    /// - Parameter call: makes the call from the values of the path's `:name` segments.
    /// - Throws: what the endpoint throws.
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

    /// The values of the route's `:name` segments; `nil` for another path.
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
