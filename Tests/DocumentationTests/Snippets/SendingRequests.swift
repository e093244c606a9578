import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

enum SendingRequests {
    static func listen(to request: URLRequest, with client: IdentityClient) async throws -> Data {
        var events = Data()
        // snippet: reading-events
        let (parts, response) = try await client.bytes(for: request)
        for try await part in parts { events.append(part) }
        // end snippet
        _ = response
        return events
    }

    static func upload(_ file: URL, by request: URLRequest, with client: IdentityClient) async throws -> Int {
        // snippet: uploading
        let (_, response) = try await client.upload(for: request, fromFile: file)
        // end snippet
        return response.statusCode
    }

    static func answer(
        _ sent: String, _ request: URLRequest, with client: IdentityClient, _ library: some HTTPTransport
    ) async throws -> Data {
        // snippet: on-behalf-of
        let token = try await client.accessToken(
            onBehalfOf: sent, from: "downstream", scopes: ["reports"], resource: "https://reports.example.com")
        // end snippet
        var request = request
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return try await library.data(for: request).0
    }

    static func send(
        _ request: URLRequest, with client: IdentityClient, _ library: some HTTPTransport
    ) async throws -> (Data, HTTPURLResponse) {
        // snippet: another-library
        let authorizer = client.authorizer()
        let first = try await authorizer.authorize(request)
        var (data, response) = try await library.data(for: first)
        if let again = try await authorizer.retry(of: first, after: response) {
            (data, response) = try await library.data(for: again)
        }
        // end snippet
        return (data, response)
    }

    // snippet: checking-redirects
    final class CheckedRedirects: NSObject, URLSessionTaskDelegate {
        let authorizer: RequestAuthorizer

        init(_ authorizer: RequestAuthorizer) { self.authorizer = authorizer }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(authorizer.redirected(request, by: response))
        }
    }
    // end snippet
}
