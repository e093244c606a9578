import Foundation

/// An OpenID Connect server that nobody here wrote, running on loopback for this test run.
///
/// `.ci/foreign-servers/run` installs and starts them and names their description in `IDENTITY_FOREIGN_SERVERS`.
package struct ForeignServer: Decodable, Sendable {
    /// A registered client.
    package struct Client: Decodable, Sendable {
        package let clientID: String
        package let clientSecret: String?

        private enum CodingKeys: String, CodingKey {
            case clientID = "client_id"
            case clientSecret = "client_secret"
        }
    }

    package struct User: Decodable, Sendable {
        package let username: String
        package let password: String
        package let email: String
    }

    package let name: String
    package let issuer: String
    package let user: User
    package let publicClient: Client
    package let confidentialClient: Client
    package let redirectURI: String
    package let postLogoutRedirectURI: String
    /// The public clients that get ID tokens signed by these algorithms, by the algorithm's name.
    package let algorithmClients: [String: String]
    /// What a person fills into the form fields of these names, and which buttons are pressed, when signing in.
    package let answers: [String: String]
    /// The same on the page that connects a device; `nil` when the server has no device flow.
    package let deviceAnswers: [String: String]?
    /// The same on the page that asks whether to sign out; `nil` when nobody is asked.
    package let signOutAnswers: [String: String]?

    /// Whether the servers should be there.
    package static let isRunning = ProcessInfo.processInfo.environment["IDENTITY_FOREIGN_SERVERS"] != nil

    /// The servers of this run.
    /// - Throws: when their description cannot be read.
    package static func all() throws -> [ForeignServer] {
        let path = ProcessInfo.processInfo.environment["IDENTITY_FOREIGN_SERVERS"] ?? ""
        return try JSONDecoder().decode([ForeignServer].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// The server with this name.
    /// - Throws: when it is not among them.
    package static func named(_ name: String) throws -> ForeignServer {
        guard let server = try all().first(where: { $0.name == name }) else { throw ForeignServerMissing(name: name) }
        return server
    }
}

package struct ForeignServerMissing: Error {
    package let name: String
}
