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
    /// The servers, by the names that the configuration gives their providers.
    enum Server: String, Codable, CaseIterable, Sendable {
        case thunderid, insforge, oidc
    }

    /// The users; `nil` for the well-known ones.
    var users: [User]?
    var thunderid: ThunderID?
    var insforge: InsForge?
    var oidc: OpenIDConnect?

    struct User: Codable, Equatable, Sendable {
        /// The name at ThunderID and OpenID Connect.
        var username: String
        var password: Secret
        /// The address at InsForge. The default is the user name, at `example.org` unless it is an address.
        var email: String?
        /// The default is the user name.
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
            /// Whether it signs users in natively as well; `true` by default.
            var native: Bool?
        }
    }

    struct InsForge: Codable, Equatable, Sendable {
        /// Starts with `anon_`; a random one by default.
        var anonKey: String?
        /// Starts with `ik_`; a random one by default.
        var apiKey: Secret?
        /// The allowed redirect URIs; any, when there are none.
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
            /// For authentication with `client_secret_basic`.
            var clientSecret: Secret?
        }
    }
}

extension ServeSetup {
    /// Reads a document; `-` is standard input.
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
