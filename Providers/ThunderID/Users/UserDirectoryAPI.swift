import Foundation
import IdentityKit

/// The records of users, by SCIM if the server supports it, otherwise by ThunderID's `/users`.
struct UserDirectoryAPI: Sendable {
    private let server: ServerAPI
    private let memory: ServerMemory
    private let time: TimeSource
    /// Whether the server supports SCIM; `nil` before the first request.
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

        /// The person's attributes: all members of a SCIM record, or the member `attributes` of a ThunderID record.
        var attributes: [String: JSONValue] { isSCIM ? members : members["attributes"]?.objectValue ?? [:] }
        var user: User { User(sub: identifier, claims: attributes) }
        var profile: UserProfile { UserProfile(id: identifier, claims: attributes.mapValues(AnyCodable.init(json:))) }
    }

    /// The record of a user.
    /// - Parameter userID: `nil` for the token's user.
    /// - Throws: ``IAMError``.
    func record(of userID: String? = nil, as authorization: ServerAPI.Authorization) async throws -> Record {
        var refusal: Int?
        if await mayHaveSCIM() {
            let (data, response) = try await server.response(
                "GET", try Self.path(scim: true, userID), as: authorization)
            if response.statusCode == 200, let record = Self.record(data, isSCIM: true) {
                hasSCIM.withLock { $0 = true }
                return record
            }
            guard hasSCIM.withLock({ $0 }) == nil else { throw ServerAPI.failure(data, response) }
            refusal = response.statusCode
        }
        let (data, response) = try await server.response(
            "GET", try Self.path(scim: false, userID), as: authorization.asBearer)
        guard response.statusCode == 200 else { throw ServerAPI.failure(data, response) }
        // The other address works, so the earlier response was not SCIM's. Only a server that works without SCIM is
        // recorded as such.
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

    /// A new session, completed from the person's own record if its tokens do not tell the person's name. A failure of
    /// the server, or five seconds without a response, are ignored.
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

    /// Changes some attributes of a user. `null` removes one.
    ///
    /// The server replaces the whole record, so the unchanged attributes are read and sent again.
    /// - Throws: ``IAMError``.
    func update(
        _ userID: String? = nil, with changes: [String: JSONValue], as authorization: ServerAPI.Authorization
    ) async throws -> Record {
        let current = try await record(of: userID, as: authorization)
        let attributes = current.attributes.merging(changes) { $1 }.filter { $0.value != .null }
        var body = current.isSCIM ? attributes : ["attributes": .object(attributes)]
        if !current.isSCIM, userID != nil {
            // The record of another user can only be replaced as a whole.
            body = current.members.merging(body) { $1 }
        }
        let (data, response) = try await server.response(
            "PUT", try Self.path(scim: current.isSCIM, userID), body: body,
            as: current.isSCIM ? authorization : authorization.asBearer)
        guard response.statusCode == 200 else { throw ServerAPI.failure(data, response) }
        return try Self.understood(data, isSCIM: current.isSCIM)
    }

    /// The rules for attributes of the user's type; `nil` if the server does not have them, as with SCIM.
    /// - Throws: ``IAMError``.
    func attributeSchemas(as authorization: ServerAPI.Authorization) async throws -> [String: AttributeSchema]? {
        guard hasSCIM.withLock({ $0 }) != true else { return nil }
        let (data, response) = try await server.response("GET", "users/me/meta", as: authorization.asBearer)
        // Report only a refused token, because a new one may succeed.
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
