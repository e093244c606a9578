import Testing

@testable import IdentityLocalServers

@Suite("The addresses of the local servers")
struct RouterTests {
    /// What a request reaches in a table of three routes.
    private func reached(_ router: Router<[String: String]>, _ method: String, _ path: String) throws -> String {
        String(decoding: try router.response(to: method, path) { $0 }.body, as: UTF8.self)
    }

    private func router(comparesAsExpress: Bool = false, takesHead: Bool = false) -> Router<[String: String]> {
        func route(_ method: String, _ path: String, _ name: String) -> Route<[String: String]> {
            Route(method, path) { values in { .text(name + (values["id"] ?? "")) } }
        }
        return Router(
            routes: [
                route("GET", "/users/me", "own"), route("GET", "/users/:id", "user "),
                route("POST", "/users/me", "change"),
            ], comparesAsExpress: comparesAsExpress, takesHead: takesHead
        ) { _, path, methods in .text("nothing at \(path) \(methods.joined(separator: ", "))") }
    }

    @Test("A path is compared exactly")
    func exact() throws {
        #expect(try reached(router(), "GET", "/users/me") == "own")
        #expect(try reached(router(), "POST", "/users/me") == "change")
        #expect(try reached(router(), "GET", "/users/ME") == "nothing at /users/ME ")
        #expect(try reached(router(), "GET", "/users/7") == "nothing at /users/7 ")
        #expect(try reached(router(), "PUT", "/users/me") == "nothing at /users/me GET, POST")
    }

    @Test("Or as Express does: letter case, a trailing slash and the text of a named segment do not matter")
    func express() throws {
        let router = router(comparesAsExpress: true)
        #expect(try reached(router, "GET", "/Users/ME/") == "own", "the first match")
        #expect(try reached(router, "GET", "/users/Ada%20L") == "user Ada%20L")
        #expect(try reached(router, "GET", "/users") == "nothing at /users ")
        #expect(try reached(router, "POST", "/users/ada") == "nothing at /users/ada GET")
    }

    @Test("HEAD is GET where the server says so")
    func head() throws {
        #expect(try reached(router(), "HEAD", "/users/me") == "nothing at /users/me GET, POST")
        #expect(try reached(router(takesHead: true), "HEAD", "/users/me") == "own")
    }
}
