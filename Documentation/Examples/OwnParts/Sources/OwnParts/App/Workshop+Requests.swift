import Foundation
import IdentityKit

extension Workshop {
    /// The order list, in whichever way the page asks for it.
    public func orders(at address: URL) async throws -> Data {
        let (data, response) = try await client.data(for: URLRequest(url: address), scopes: ["read"])
        guard response.statusCode == 200 else { throw WorkshopError.status(response.statusCode) }
        return data
    }

    /// Likewise, with a sign-in where that is what it takes.
    public func ordersOfAnybody(at address: URL) async throws -> (Data, isAnonymous: Bool) {
        let (data, response) = try await client.data(for: URLRequest(url: address), mayShowSignIn: true)
        return (data, response.isAnonymous)
    }

    /// Counts the bytes of a picture while it arrives.
    public func size(of picture: URL) async throws -> Int {
        let (body, _) = try await client.bytes(for: URLRequest(url: picture))
        var size = 0
        for try await part in body { size += part.count }
        return size
    }

    /// Sends a file, for one account whoever is active.
    public func send(_ file: URL, to address: URL, as account: AccountID) async throws -> Int {
        var request = URLRequest(url: address)
        request.httpMethod = "PUT"
        return try await client.upload(for: request, fromFile: file, as: account, scopes: ["write"]).1.statusCode
    }

    /// Sends with another network library: it is given the request, and its response says whether to go on.
    public func send(
        _ request: URLRequest, by library: (URLRequest) async throws -> HTTPURLResponse
    ) async throws -> HTTPURLResponse {
        let authorizer = client.authorizer(scopes: ["read"])
        let first = try await authorizer.authorize(request)
        let response = try await library(first)
        if let place = response.value(forHTTPHeaderField: "Location").flatMap(URL.init(string:)) {
            var next = first
            next.url = place
            return try await library(authorizer.redirected(next, by: response))
        }
        guard let again = try await authorizer.retry(of: first, after: response) else { return response }
        return try await library(again)
    }

    /// Both halves of an authorizer, for a library that none fits.
    public func signed(_ request: URLRequest, refusedBy response: HTTPURLResponse?) async throws -> URLRequest? {
        guard response != nil else { return try await client.authorize(request, scopes: ["read"]) }
        return try await client.reauthorize(request, after: response, scopes: ["read"])
    }

    /// An access token: for a resource, as fresh as needed, or on behalf of a person.
    public func token(
        for resource: String? = nil, freshness: TokenFreshness = .any, onBehalfOf person: String? = nil
    ) async throws -> String {
        guard let person else {
            return try await client.accessToken(scopes: ["read"], resource: resource, freshness: freshness)
        }
        return try await client.accessToken(
            onBehalfOf: person, from: "lantern", scopes: ["read"], resource: resource)
    }

    /// Asks the person for more, or the server once more, before the time that it has named.
    public func getMore(_ scopes: Set<String>, for resource: String? = nil) async throws -> Data? {
        try await client.retryNow()
        return try await client.requestAuthorization(scopes: scopes, resource: resource)
    }
}

/// A response that no order list is in.
enum WorkshopError: IdentityFailure, Equatable {
    case status(Int)

    var failureCode: String { "workshop_status" }
    var failureClass: FailureClass { .transient }
    var message: String { "The shop does not answer now." }
}
