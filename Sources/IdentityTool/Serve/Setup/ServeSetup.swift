import Foundation
import IdentityKit

/// The users and clients of the local servers, as the document for `identity serve --users` describes them.
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
    /// The local servers. A raw value is also the name of the server's provider in the printed configuration.
    enum Server: String, Codable, CaseIterable, Sendable {
        case thunderid, insforge, oidc
    }

    /// The users of all servers. If `nil`, each server has its default user, whose password is no secret and is printed unless
    /// `--json` is given.
    var users: [User]?
    var thunderid: ThunderID?
    var insforge: InsForge?
    var oidc: OpenIDConnect?

    struct User: Codable, Equatable, Sendable {
        /// The name with which the user signs in at ThunderID and OpenID Connect.
        var username: String
        var password: Secret
        /// The e-mail address, with which the user signs in at InsForge. By default the user name, with `@example.org` appended
        /// if the user name contains no `@`.
        var email: String?
        /// The full name; by default the user name.
        var name: String?
        var givenName: String?
        var familyName: String?
        /// Whether the e-mail address is verified at InsForge and OpenID Connect; `true` by default.
        var emailVerified: Bool?
        /// The values of the claim `groups` at the local OpenID Connect server; `nil` for no such claim.
        var groups: [String]?
        /// The values of the claim `roles` at the local OpenID Connect server; `nil` for no such claim.
        var roles: [String]?
        /// The subject identifier at each of the user's servers; by default derived from the server and the user name.
        var id: String?
        /// The servers at which the user exists; by default all of them.
        var servers: [Server]?
    }

    struct ThunderID: Codable, Equatable, Sendable {
        var applications: [Application]?

        struct Application: Codable, Equatable, Sendable {
            var clientID: String
            var redirectURIs: [String]
            var postLogoutRedirectURIs: [String]?
            var name: String?
            /// Whether the app may sign users in with screens of its own, in addition to the browser; `true` by default.
            var native: Bool?
        }
    }

    struct InsForge: Codable, Equatable, Sendable {
        /// The key for requests without a signed-in user. Begins with `anon_`; by default a random key, which `--data`
        /// keeps.
        var anonKey: String?
        /// The key of the project's administrator. Begins with `ik_`; by default a random key, which `--data` keeps.
        var apiKey: Secret?
        /// The allowed redirect URIs; if the list is missing or empty, every URI is allowed.
        var allowedRedirectURLs: [String]?
    }

    struct OpenIDConnect: Codable, Equatable, Sendable {
        var clients: [Client]?

        /// A client of the OpenID Connect server. Without a secret it is a public client (RFC 6749 section 2.1).
        struct Client: Codable, Equatable, Sendable {
            var clientID: String
            var redirectURIs: [String]
            var postLogoutRedirectURIs: [String]?
            var name: String?
            /// The secret with which the client authenticates by `client_secret_basic`; `nil` for a public client.
            var clientSecret: Secret?
        }
    }
}

extension ServeSetup {
    /// Reads and checks the document at `path`, or from standard input if `path` is `-`.
    /// - Throws: ``ServeSetupError`` when the document cannot be read or has a mistake, or `CancellationError`.
    init(contentsOf path: String, in call: ToolCall) async throws {
        do {
            let data: Data
            do {
                data =
                    path == "-"
                    ? try await call.context.input.stream.all()
                    : try Data(
                        contentsOf: URL(
                            fileURLWithPath: StorePath.absolute(path, in: call.context.folder.path, home: call.home)))
            } catch let error as CancellationError {
                throw error
            } catch let error as StorePathError {
                throw ConfigurationError.fileUnreadable(path: path, detail: error.detail)
            } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
                throw ConfigurationError.fileMissing(path: path)
            } catch {
                throw ConfigurationError.fileUnreadable(path: path, detail: error.localizedDescription)
            }
            self = try SettingsDocument.decode(Self.self, from: data, variables: call.variables)
            try check()
        } catch let error as ConfigurationError {
            throw ServeSetupError(file: path == "-" ? "Standard input" : path, mistake: error)
        }
    }

    static var schema: JSONValue {
        SettingsDocument.schema(of: Self.self, title: "Users and clients of identity serve")
    }
}

/// The document of users and clients is missing, unreadable, or has a mistake.
struct ServeSetupError: IdentityFailure {
    let file: String
    let mistake: ConfigurationError

    var failureCode: String { mistake.failureCode }
    let failureClass = FailureClass.definitive

    var message: String {
        switch mistake {
        case .fileMissing: "There is no file of users at \(file). Create it, or name another one."
        case .fileUnreadable(_, let detail): "The file of users \(file) cannot be read: \(detail)"
        case .notADocument(let detail): "\(file) is not JSON: \(detail)"
        default: "\(file): \(mistake.message)"
        }
    }
}
