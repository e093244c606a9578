import Foundation
import IdentityKit

#if canImport(Combine)
import Combine
#endif

/// A form for a user's own record, with the attributes, the entered values, and errors. In SwiftUI it is an
/// `ObservableObject`.
@MainActor
public final class ProfileForm {
    /// An attribute of the record that the form shows.
    public struct Field: Sendable, Hashable, Identifiable {
        /// The kinds of values that a field can show.
        public enum Kind: Sendable, Hashable, CaseIterable {
            case text
            case number
            /// A switch, for `true` or `false`.
            case boolean
        }

        public let name: String
        /// The server's display name for the attribute; `nil` if the server has none.
        public let label: String?
        /// The kind of the value, as the server's rules state it. Without a rule, the kind of the value in the record.
        public let kind: Kind
        /// Whether the server's rules require a value.
        public let isRequired: Bool
        /// Whether the attribute cannot be changed, because it identifies the user or only the server changes it.
        public let isReadOnly: Bool

        public var id: String { name }
    }

    /// The record; `nil` until it has been read. Becomes `nil` again when a later read fails after another session has begun.
    @Published public private(set) var profile: ThunderIDClient.UserProfile?

    /// The attributes in display order.
    @Published public private(set) var fields: [Field] = []

    /// Whether the record is being read or saved.
    @Published public private(set) var isLoading = false

    /// The error of reading or saving the record; `nil` if there is none.
    @Published public private(set) var failure: IAMError?

    /// Errors in entered values, by the name of the field.
    @Published public private(set) var problems: [String: TextKey] = [:]

    @Published private var edits: [String: String] = [:]

    private var client: ThunderIDClient?
    /// The session in which the record was read. Changes are refused after another session has begun, because they are
    /// meant for the person of this session.
    private var session: SessionNumber?
    private let attributes: [String]?
    private let requestEnd = RequestEnd()
    private var schemas: [String: AttributeSchema] = [:]

    /// Creates a form without a record, which ``load()`` reads.
    /// - Parameters:
    ///   - client: the client that reads and saves the record of its user.
    ///   - attributes: the names of the attributes to show, in order; `nil` for all texts, numbers and booleans except
    ///     `id` and `sub`. Credentials are never shown.
    public init(client: ThunderIDClient, attributes: [String]? = nil) {
        self.client = client
        self.attributes = attributes
    }

    /// Creates a form without a client. `load(below:)` takes the client from the state above the view.
    init(attributes: [String]?) {
        self.attributes = attributes
    }

    /// The value of a field as text: the entered value, or else the record's; empty if there is neither.
    public func value(for name: String) -> String { edits[name] ?? Self.text(profile?.claims[name]) ?? "" }

    /// Sets the entered value of a field and removes its error, unless the field is read-only or unknown.
    public func setValue(_ value: String, for name: String) {
        guard editable.contains(where: { $0.name == name }) else { return }
        edits[name] = value == Self.text(profile?.claims[name]) ?? "" ? nil : value
        problems[name] = nil
    }

    /// Whether an entered value differs from the record.
    public var hasChanges: Bool { !edits.isEmpty }

    /// The fields that are not read-only, in display order.
    public var editable: [Field] { fields.filter { !$0.isReadOnly } }

    /// Discards all entered values and all errors.
    public func discardChanges() {
        (edits, problems, failure) = ([:], [:], nil)
    }

    /// Reads the record, after the end of a request that is in progress. Entered values stay, unless the record belongs to
    /// another person. After an error, ``failure`` has the reason, and the form is empty if another session has begun since
    /// the record was read.
    public func load() async {
        guard let client else { return }
        await requestEnd.wait { isLoading }
        guard !Task.isCancelled else { return }
        isLoading = true
        defer { endRequest() }
        do {
            let (profile, session) = try await client.shownProfile()
            // If the server's rules for attributes cannot be read, still show the record.
            let schemas = (try? await client.attributeSchemas()) ?? [:]
            if profile.id != self.profile?.id { discardChanges() }
            (self.profile, self.session, self.schemas, failure) = (profile, session, schemas, nil)
            fields = Self.fields(of: profile, schemas, attributes)
        } catch is CancellationError {
            // Ignore a cancellation, such as when the view has disappeared.
        } catch {
            if profile != nil, let current = try? await client.currentSession(), current != session {
                discardChanges()
                (profile, session, schemas, fields) = (nil, nil, [:], [])
            }
            failure = IAMError.shown(error)
        }
    }

    private func endRequest() {
        isLoading = false
        requestEnd.signal()
    }

    /// Uses the client of `state`, and reads its user's record. Does nothing unless a user is signed in.
    func load(below state: ThunderIDState) async {
        guard state.presence == .signedIn else { return }
        client = state.client
        await load()
    }

    /// Saves the entered values. Sends no request if no value differs from the record, or if a value is invalid.
    /// - Returns: whether the record has all entered values now. If not, ``problems`` or ``failure`` has the reason. No reason
    ///   is set if the task was cancelled, there is no record, or another request is in progress.
    @discardableResult
    public func save() async -> Bool {
        guard !isLoading, let client, let profile else { return false }
        var changes: [String: JSONValue] = [:]
        problems = [:]
        for (name, text) in edits {
            do throws(AttributeSchema.ProblemError) {
                changes[name] = try schema(of: name).value(of: text.trimmingCharacters(in: .whitespacesAndNewlines))
            } catch {
                problems[name] = error.problem.text
            }
        }
        guard problems.isEmpty else { return false }
        guard !changes.isEmpty else { return true }
        isLoading = true
        defer { endRequest() }
        do {
            try await client.updateUserProfile(payload: changes, of: session)
        } catch is CancellationError {
            return false
        } catch {
            failure = IAMError.shown(error)
            return false
        }
        let claims = profile.claims.merging(changes.mapValues(AnyCodable.init(json:))) { $1 }
        self.profile = ThunderIDClient.UserProfile(id: profile.id, claims: claims.filter { $0.value.json != .null })
        (edits, failure) = ([:], nil)
        return true
    }

    private func schema(of name: String) -> AttributeSchema {
        schemas[name] ?? AttributeSchema(type: Self.type(of: profile?.claims[name]) ?? "string")
    }

    /// Attributes that identify the record, or that only the server changes.
    private static let readOnly: Set = [
        "id", "sub", "username", "userName", "ouId", "ouHandle", "active", "isReadOnly", "email_verified",
        "phone_number_verified", "updated_at", "created_at",
    ]

    /// Attributes that are shown first, in this order. All others follow by name.
    private static let order = [
        "username", "userName", "name", "displayName", "given_name", "family_name", "nickname", "nickName", "email",
        "mobile_number", "phone_number", "birthdate",
    ]

    private static func fields(
        of profile: ThunderIDClient.UserProfile, _ schemas: [String: AttributeSchema], _ attributes: [String]?
    ) -> [Field] {
        let known = Set(profile.claims.keys).union(schemas.keys)
        let names = attributes?.filter(known.contains) ?? known.subtracting(["id", "sub"]).sorted(by: precedes)
        return names.compactMap { name in
            let schema = schemas[name]
            // A password or other credential can be changed only in a flow.
            guard schema?.isCredential != true, name != "password",
                let kind = kind(of: schema?.type ?? type(of: profile.claims[name]))
            else { return nil }
            return Field(
                name: name, label: schema?.displayName, kind: kind, isRequired: schema?.isRequired ?? false,
                isReadOnly: readOnly.contains(name))
        }
    }

    private static func precedes(_ first: String, _ second: String) -> Bool {
        let (one, other) = (order.firstIndex(of: first) ?? order.count, order.firstIndex(of: second) ?? order.count)
        return one == other ? first < second : one < other
    }

    /// The kind of field for a type; `nil` for lists and objects, which do not fit into a field, and for unknown types.
    private static func kind(of type: String?) -> Field.Kind? {
        switch type {
        case "string": .text
        case "number": .number
        case "boolean": .boolean
        default: nil
        }
    }

    private static func type(of value: AnyCodable?) -> String? {
        switch value?.json {
        case .string: "string"
        case .integer, .number: "number"
        case .bool: "boolean"
        case .array, .object, .null, nil: nil
        }
    }

    private static func text(_ value: AnyCodable?) -> String? {
        switch value?.json {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let flag): String(flag)
        case .array, .object, .null, nil: nil
        }
    }
}

extension AttributeSchema.Problem {
    fileprivate var text: TextKey {
        switch self {
        case .missing: .userProfileMissing
        case .notNumber: .userProfileNotNumber
        }
    }
}

extension ProfileForm: CustomReflectable {
    /// Shows no values, because the record is private.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}

#if canImport(Combine)
extension ProfileForm: ObservableObject {}
#endif
