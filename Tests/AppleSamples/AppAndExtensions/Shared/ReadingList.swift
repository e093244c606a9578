import Foundation
import IdentityKit
import IdentityOAuthProviders

/// The reading list: what the app and its extensions do with the API, each in a process of its own.
public struct ReadingList: Sendable {
    /// Who is signed in.
    public let client: IdentityClient
    private let address: URL

    // snippet: one-store-for-all
    /// The list of whoever is signed in, in the app or in an extension of it.
    /// - Parameter browser: opens the sign-in page; an extension has none.
    /// - Throws: when the configuration is missing or wrong.
    public init(browser: (any WebAuthenticator)? = nil) throws {
        guard let file = Bundle.main.url(forResource: "identity", withExtension: "json"),
            let group = Bundle.main.object(forInfoDictionaryKey: "KeychainGroup") as? String
        else { throw CocoaError(.fileNoSuchFile) }
        let configuration = try IdentityConfiguration(contentsOf: file, variables: ["KEYCHAIN_GROUP": group])
        client = try IdentityClient(
            configuration: configuration,
            registry: ProviderRegistry([OpenIDConnectPlugin.self]),
            webAuthenticator: browser)
        address = try Self.address(of: "items")
    }
    // end snippet

    private static func address(of path: String) throws -> URL {
        guard let url = URL(string: "https://reading.example.com/api/\(path)") else { throw URLError(.badURL) }
        return url
    }

    /// The titles on the list.
    /// - Throws: the client's error, or `URLError`.
    public func titles() async throws -> [String] {
        let (data, response) = try await client.data(for: URLRequest(url: address))
        guard response.statusCode == 200 else { throw URLError(.badServerResponse) }
        return try JSONDecoder().decode([String].self, from: data)
    }

    // snippet: adding-from-an-extension
    /// Puts a page on the list.
    /// - Throws: the client's error, such as that nobody is signed in, or `URLError`.
    public func add(_ page: URL) async throws {
        var request = URLRequest(url: address)
        request.httpMethod = "POST"
        request.setValue("text/uri-list", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(page.absoluteString.utf8)
        let (_, response) = try await client.data(for: request)
        guard (200..<300).contains(response.statusCode) else { throw URLError(.badServerResponse) }
    }
    // end snippet
}
