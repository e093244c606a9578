import Foundation
import IdentityKit

/// The users and clients of the local servers: the document of `identity serve --users`.
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
    /// The servers, by the names of their providers in the printed configuration.
    enum Server: String, Codable, CaseIterable, Sendable {
        case thunderid, insforge, oidc
    }

    /// The users; `nil` for the well-known ones.
    var users: [User]?
    var thunderid: ThunderID?
    var insforge: InsForge?
    var oidc: OpenIDConnect?

    struct User: Codable, Equatable, Sendable {
        /// User name at ThunderID and OpenID Connect.
        var username: String
        var password: Secret
        /// The e-mail address at InsForge. By default the user name, with `@example.org` unless it is an address.
        var email: String?
        /// The full name; by default the user name.
        var name: String?
        var givenName: String?
        var familyName: String?
        /// Whether the address is verified; `true` by default.
        var emailVerified: Bool?
        /// The claim `groups` of OpenID Connect.
        var groups: [String]?
        /// The claim `roles` of OpenID Connect.
        var roles: [String]?
        /// The subject identifier; by default it is derived from the server and the name.
        var id: String?
        /// The user's servers; all by default.
        var servers: [Server]?
    }

    struct ThunderID: Codable, Equatable, Sendable {
        var applications: [Application]?

        struct Application: Codable, Equatable, Sendable {
            var clientID: String
            var redirectURIs: [String]
            var postLogoutRedirectURIs: [String]?
            var name: String?
            /// Whether the application may sign users in with the app's own screens, too; `true` by default.
            var native: Bool?
        }
    }

    struct InsForge: Codable, Equatable, Sendable {
        /// Key of anonymous requests, which begins with `anon_`; a random one by default.
        var anonKey: String?
        /// Key of the project's administrator, which begins with `ik_`; a random one by default.
        var apiKey: Secret?
        /// The allowed redirect URIs; if there are none, every URI is allowed.
        var allowedRedirectURLs: [String]?
    }

    struct OpenIDConnect: Codable, Equatable, Sendable {
        var clients: [Client]?

        /// A client, public unless it has a secret.
        struct Client: Codable, Equatable, Sendable {
            var clientID: String
            var redirectURIs: [String]
            var postLogoutRedirectURIs: [String]?
            var name: String?
            /// The secret, for authentication with `client_secret_basic`.
            var clientSecret: Secret?
        }
    }
}

extension ServeSetup {
    /// Reads a document; the path `-` stands for standard input.
    /// - Throws: ``ServeSetupError``, which names the file, or `CancellationError`.
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
        case .notADocument(let detail): "\(file) is not JSON: \(detail)"
        default: "\(file): \(mistake.message)"
        }
    }
}
