import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport that keeps the forms of token requests, and the tokens that are revoked and introspected.
actor FormRecorder: HTTPTransport {
    private let base = DefaultTransport.make()
    private(set) var refreshes: [[String: String]] = []
    private(set) var revoked: [String] = []
    private(set) var introspected: [String] = []

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let body = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
        let items = URLComponents(string: "?\(body)")?.queryItems ?? []
        let form = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
        if form["grant_type"] == "refresh_token" { refreshes.append(form) }
        if request.url?.path == "/revoke" { revoked.append(form["token"] ?? "") }
        if request.url?.path == "/introspect" { introspected.append(form["token"] ?? "") }
        return try await base.data(for: request)
    }
}
