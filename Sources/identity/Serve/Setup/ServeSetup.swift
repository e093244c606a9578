import Foundation
import IdentityKit
import LocalServers

/// Who can sign in at the local servers, and with which clients: the document of `identity serve --users`.
///
/// ```json
/// {
///   "users": [
///     { "username": "grace", "password": "${GRACE_PASSWORD}", "email": "grace@example.com", "groups": ["admirals"] },
///     { "username": "ada", "password": "Enchantress-1", "servers": ["thunderid", "oidc"] }
///   ],
///   "thunderid": { "applications": [{ "clientID": "app", "redirectURIs": ["com.example.app://callback"] }] },
///   "insforge": { "allowedRedirectURLs": ["com.example.app://callback"] },
///   "oidc": { "clients": [{ "clientID": "app", "redirectURIs": ["http://127.0.0.1/callback"] }] }
/// }
/// ```
struct ServeSetup: Codable, Equatable, Sendable {
    /// The servers, by the names that the configuration gives their providers.
    enum Server: String, Codable, CaseIterable, Sendable {
        case thunderid, insforge, oidc
    }

    /// The people; without any, the well-known ones.
    var users: [User]?
    var thunderid: ThunderID?
    var insforge: InsForge?
    var oidc: OpenIDConnect?

    /// Somebody who can sign in, with what the servers can hold of them.
    struct User: Codable, Equatable, Sendable {
        /// What is typed into the first field at ThunderID and OpenID Connect.
        var username: String
        var password: Secret
        /// What is typed into the first field at InsForge. By default the name, at `example.org` if it is no address.
        var email: String?
        /// By default the user name.
        var name: String?
        var givenName: String?
        var familyName: String?
        /// Whether the address counts as proven; yes, unless told otherwise.
        var emailVerified: Bool?
        /// The claim `groups` of OpenID Connect. The other servers know none.
        var groups: [String]?
        /// The claim `roles` of OpenID Connect. The other servers know none.
        var roles: [String]?
        /// The subject identifier; by default one that follows from the server and the name.
        var id: String?
        /// Where they can sign in; everywhere, unless told otherwise.
        var servers: [Server]?
    }

    /// The applications of ThunderID.
    struct ThunderID: Codable, Equatable, Sendable {
        var applications: [Application]?

        /// A public application.
        struct Application: Codable, Equatable, Sendable {
            var clientID: String
            var redirectURIs: [String]
            var postLogoutRedirectURIs: [String]?
            var name: String?
            /// Whether it signs people in by itself, besides the browser; yes, unless told otherwise.
            var native: Bool?
        }
    }

    /// The project of InsForge.
    struct InsForge: Codable, Equatable, Sendable {
        /// Starts with `anon_`; a random one by default.
        var anonKey: String?
        /// Starts with `ik_`; a random one by default.
        var apiKey: Secret?
        /// Where a sign-in or a link may lead; anywhere, when there are none.
        var allowedRedirectURLs: [String]?
    }

    /// The clients of OpenID Connect.
    struct OpenIDConnect: Codable, Equatable, Sendable {
        var clients: [Client]?

        /// A client, public unless it has a secret.
        struct Client: Codable, Equatable, Sendable {
            var clientID: String
            var redirectURIs: [String]
            var postLogoutRedirectURIs: [String]?
            var name: String?
            /// Then it authenticates with `client_secret_basic`.
            var clientSecret: Secret?
        }
    }
}

extension ServeSetup {
    /// Reads a document; `-` is standard input.
    /// - Throws: ``ServeSetupError``, which names the file.
    init(contentsOf path: String) throws {
        do {
            let data: Data
            do {
                data =
                    path == "-"
                    ? try FileHandle.standardInput.readToEnd() ?? Data()
                    : try Data(contentsOf: URL(fileURLWithPath: StorePath.absolute(path)))
            } catch let error as StorePathError {
                throw ConfigurationError.fileUnreadable(path: path, detail: error.detail)
            } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
                throw ConfigurationError.fileMissing(path: path)
            } catch {
                throw ConfigurationError.fileUnreadable(path: path, detail: error.localizedDescription)
            }
            self = try SettingsDocument.decode(Self.self, from: data)
            try check()
        } catch let error as ConfigurationError {
            throw ServeSetupError(file: path == "-" ? "Standard input" : path, mistake: error)
        }
    }

    /// The JSON Schema of the document.
    static var schema: JSONValue {
        SettingsDocument.schema(of: Self.self, title: "Users and clients of identity serve")
    }
}

/// A mistake in the document of users and clients.
struct ServeSetupError: IdentityFailure {
    let file: String
    let mistake: ConfigurationError

    var failureCode: String { mistake.failureCode }
    let failureClass = FailureClass.definitive

    var message: String {
        switch mistake {
        case .fileMissing: "There is no file of users at \(file). Create it, or name another one."
        case .fileUnreadable(_, let detail): "The file of users \(file) cannot be read: \(detail)"
        case .notADocument(let detail): "\(file) is neither JSON nor a property list: \(detail)"
        default: "\(file): \(mistake.message)"
        }
    }
}
