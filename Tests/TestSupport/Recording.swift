import Foundation

/// One request with its answer, as a real server gave it.
package struct RecordedExchange: Decodable, Sendable {
    package struct Request: Decodable, Sendable {
        package let method: String
        package let url: String
        package let headers: [String: String]
        package let body: String?

        package init(method: String, url: String, headers: [String: String], body: String?) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
        }
    }

    package struct Response: Decodable, Sendable {
        package let status: Int
        package let headers: [String: String]
        package let body: String?

        package init(status: Int, headers: [String: String], body: String?) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    package let request: Request
    package let response: Response

    package init(request: Request, response: Response) {
        self.request = request
        self.response = response
    }
}

/// The exchanges of one session with a real server, in order.
package enum Recording {
    /// Reads `Tests/Recordings/<name>.json`.
    package static func load(_ name: String) throws -> [RecordedExchange] {
        let file = PackageFolder.url.appendingPathComponent("Tests/Recordings/\(name).json")
        return try JSONDecoder().decode([RecordedExchange].self, from: Data(contentsOf: file))
    }
}
