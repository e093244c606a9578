/// What a server does for one method and path.
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
