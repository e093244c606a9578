import Foundation
import IdentityKit

/// Reads and changes the records of users, by SCIM if the server supports it, otherwise by ThunderID's `/users`.
struct UserDirectoryAPI: Sendable {
    private let server: ServerAPI
    private let memory: ServerMemory
    private let time: TimeSource
    /// Whether the server supports SCIM; `nil` until a response or ``ServerMemory`` shows it.
    private let hasSCIM = Locked<Bool?>(nil)

    init(server: ServerAPI, environment: IdentityEnvironment) {
        self.server = server
        time = environment.time
        memory = ServerMemory(baseURL: server.baseURL, store: environment.store, time: environment.time)
    }

    struct Record: Sendable {
        let identifier: String
        let members: [String: JSONValue]
        let isSCIM: Bool

        /// The person's attributes: all members of a SCIM record, or the contents of `attributes` in a ThunderID record.
        var attributes: [String: JSONValue] { isSCIM ? members : members["attributes"]?.objectValue ?? [:] }
        var user: User { User(sub: identifier, claims: attributes) }
        var profile: UserProfile { UserProfile(id: identifier, claims: attributes.mapValues(AnyCodable.init(json:))) }
    }

    /// Fetches the record of a user. While the support of SCIM is unknown, a call tries SCIM, and then `/users` if the
    /// response has no SCIM record.
    /// - Parameter userID: the user's identifier; `nil` for the user of the token.
    /// - Throws: ``IAMError``, with `invalidInput` for an identifier that is empty or has characters such as `/`; otherwise
    ///   as ``ServerAPI/response(_:_:query:body:headers:as:)``.
    func record(of userID: String? = nil, as authorization: ServerAPI.Authorization) async throws -> Record {
        var refusal: Int?
        if await mayHaveSCIM() {
            let (data, response) = try await server.response(
                "GET", try Self.path(scim: true, userID), as: authorization)
            if response.statusCode == 200, let record = Self.record(data, isSCIM: true) {
                hasSCIM.withLock { $0 = true }
                return record
            }
            guard hasSCIM.withLock({ $0 }) != true else { throw ServerAPI.failure(data, response) }
            refusal = response.statusCode
        }
        let (data, response) = try await server.response(
            "GET", try Self.path(scim: false, userID), as: authorization.asBearer)
        guard response.statusCode == 200 else { throw ServerAPI.failure(data, response) }
        // `/users` works, so use it from now on. The store remembers the lack of SCIM only after a status that shows
        // it, because any other failure may be temporary.
        hasSCIM.withLock { $0 = $0 ?? false }
        if let refusal, [401, 403, 404].contains(refusal) { await memory.noteLackOfSCIM() }
        return try Self.understood(data, isSCIM: false)
    }

    private func mayHaveSCIM() async -> Bool {
        if let known = hasSCIM.withLock({ $0 }) { return known }
        guard await memory.lacksSCIM() else { return true }
        return hasSCIM.withLock { hasSCIM in
            hasSCIM = hasSCIM ?? false
            return hasSCIM ?? false
        }
    }

    /// Completes the profile of a new session from the person's own record if the display name, the e-mail address or
    /// the user name is missing. Returns the session unchanged if the request fails or takes longer than five seconds.
    func completing(_ credential: Credential) async -> Credential {
        guard credential.profile?.namesPerson != true,
            let (data, response) = try? await Deadline.run(
                .seconds(5), on: time, orThrow: CancellationError(),
                { try await server.response("GET", "users/me", as: .bearer(credential.accessToken)) }),
            response.statusCode == 200, let record = Self.record(data, isSCIM: false),
            record.identifier.hasBytes(of: credential.subject)
        else { return credential }
        var credential = credential
        credential.profile = credential.profile.completed(with: AccountProfile(attributes: record.attributes))
        return credential
    }

    /// Changes attributes of a user, and removes an attribute whose new value is `null`.
    ///
    /// The server replaces the whole record, so this method fetches the record and sends the unchanged attributes again.
    /// - Throws: as ``record(of:as:)``.
    func update(
        _ userID: String? = nil, with changes: [String: JSONValue], as authorization: ServerAPI.Authorization
    ) async throws -> Record {
        let current = try await record(of: userID, as: authorization)
        let attributes = current.attributes.merging(changes) { $1 }.filter { $0.value != .null }
        var body = current.isSCIM ? attributes : ["attributes": .object(attributes)]
        if !current.isSCIM, userID != nil {
            // A request for a user by identifier must contain all members of the record, not only the attributes.
            body = current.members.merging(body) { $1 }
        }
        let (data, response) = try await server.response(
            "PUT", try Self.path(scim: current.isSCIM, userID), body: body,
            as: current.isSCIM ? authorization : authorization.asBearer)
        guard response.statusCode == 200 else { throw ServerAPI.failure(data, response) }
        return try Self.understood(data, isSCIM: current.isSCIM)
    }

    /// Fetches the rules for the attributes of the token's user, by attribute name. Returns `nil` without a request if the
    /// server is known to support SCIM. Also returns `nil` for an unsuccessful response other than 401, and for a response
    /// without rules.
    /// - Throws: ``IAMError`` for status 401; otherwise as ``ServerAPI/response(_:_:query:body:headers:as:)``.
    func attributeSchemas(as authorization: ServerAPI.Authorization) async throws -> [String: AttributeSchema]? {
        guard hasSCIM.withLock({ $0 }) != true else { return nil }
        let (data, response) = try await server.response("GET", "users/me/meta", as: authorization.asBearer)
        // Report only a refused token, because the caller may try again with a new token.
        if response.statusCode == 401 { throw ServerAPI.failure(data, response) }
        guard response.statusCode == 200 else { return nil }
        return (try? JSONValue(parsing: data))?["schema"]?.objectValue?.mapValues(AttributeSchema.init)
    }

    private static func understood(_ data: Data, isSCIM: Bool) throws -> Record {
        guard let record = record(data, isSCIM: isSCIM) else {
            throw IAMError(.serverError, "The server's response could not be understood. Try again later.")
        }
        return record
    }

    private static func record(_ data: Data, isSCIM: Bool) -> Record? {
        guard let members = (try? JSONValue(parsing: data))?.objectValue, let identifier = members["id"]?.stringValue,
            !identifier.isEmpty
        else { return nil }
        return Record(identifier: identifier, members: members, isSCIM: isSCIM)
    }

    private static func path(scim: Bool, _ userID: String?) throws -> String {
        guard let userID else { return scim ? "scim2/Me" : "users/me" }
        guard !userID.isEmpty, userID.rangeOfCharacter(from: CharacterSet(charactersIn: "/\\?#%.")) == nil else {
            throw IAMError(.invalidInput, "This is no user's identifier.")
        }
        return (scim ? "scim2/Users/" : "users/") + userID
    }
}
