import Foundation
import IdentityKit

#if canImport(Combine)
import Combine
#endif

/// A user's own record, as a form shows it: the attributes, what was typed, what went wrong. In SwiftUI it is an
/// `ObservableObject`.
@MainActor
public final class ProfileForm {
    /// An attribute of the form.
    public struct Field: Sendable, Hashable, Identifiable {
        /// How a value is entered.
        public enum Kind: Sendable, Hashable, CaseIterable {
            case text
            case number
            /// With a switch, as `true` or `false`.
            case boolean
        }

        public let name: String
        /// The server's name for it; `nil` where it gives none.
        public let label: String?
        /// How the value is entered.
        public let kind: Kind
        /// Whether the record needs it.
        public let isRequired: Bool
        /// Whether it is only shown.
        public let isReadOnly: Bool

        public var id: String { name }
    }

    /// The record; `nil` before it was read.
    @Published public private(set) var profile: ThunderIDClient.UserProfile?

    /// The attributes, in the order to show them.
    @Published public private(set) var fields: [Field] = []

    /// Whether the record is being read or saved.
    @Published public private(set) var isLoading = false

    /// The error; `nil` when nothing went wrong.
    @Published public private(set) var failure: IAMError?

    /// Mistakes in single fields, by name.
    @Published public private(set) var problems: [String: TextKey] = [:]

    @Published private var edits: [String: String] = [:]

    private var client: ThunderIDClient?
    /// The session that the record is of. Another screen may have seen the next person already.
    private var session: SessionNumber?
    private let attributes: [String]?
    private var schemas: [String: AttributeSchema] = [:]

    /// A form that has read nothing yet.
    /// - Parameters:
    ///   - client: the client whose user it is.
    ///   - attributes: the attributes to show, in order; `nil` for all that the record has or may have.
    public init(client: ThunderIDClient, attributes: [String]? = nil) {
        self.client = client
        self.attributes = attributes
    }

    /// A form that gets its client from the state above its view.
    init(attributes: [String]?) {
        self.attributes = attributes
    }

    /// The value of a field: what was typed, or what the record has.
    public func value(for name: String) -> String { edits[name] ?? Self.text(profile?.claims[name]) ?? "" }

    /// Types a value. A field that is only shown stays as it is.
    public func setValue(_ value: String, for name: String) {
        guard editable.contains(where: { $0.name == name }) else { return }
        edits[name] = value == Self.text(profile?.claims[name]) ?? "" ? nil : value
        problems[name] = nil
    }

    /// Whether there is something to save.
    public var hasChanges: Bool { !edits.isEmpty }

    /// The fields that can be changed.
    public var editable: [Field] { fields.filter { !$0.isReadOnly } }

    /// Takes everything back that was typed.
    public func discardChanges() {
        (edits, problems, failure) = ([:], [:], nil)
    }

    /// Reads the record. What was typed stays, unless the record is another person's.
    public func load() async {
        guard !isLoading, let client else { return }
        isLoading = true
        defer { isLoading = false }
        do {
            let (profile, session) = try await client.shownProfile()
            // A form without rules is better than none.
            let schemas = (try? await client.attributeSchemas()) ?? [:]
            if profile.id != self.profile?.id { discardChanges() }
            (self.profile, self.session, self.schemas, failure) = (profile, session, schemas, nil)
            fields = Self.fields(of: profile, schemas, attributes)
        } catch is CancellationError {
            // The view is gone.
        } catch {
            failure = IAMError.shown(error)
        }
    }

    /// Reads the record of the user of `state`, when there is one.
    func load(below state: ThunderIDState) async {
        guard state.presence == .signedIn else { return }
        client = state.client
        await load()
    }

    /// Sends what was changed. Without a change nothing is sent.
    /// - Returns: whether the record is now as it was typed. ``problems`` and ``failure`` say why it is not.
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
        defer { isLoading = false }
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

    /// Attributes that name the record, or that the server alone changes.
    private static let readOnly: Set = [
        "id", "sub", "username", "userName", "ouId", "ouHandle", "active", "isReadOnly", "email_verified",
        "phone_number_verified", "updated_at", "created_at",
    ]

    /// Attributes that come first, where a record has them.
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
            // A password is changed in a flow.
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

    /// How a value is entered; `nil` for lists and objects, which no single field holds.
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
    /// Shows no value: a record is a person's own.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}

#if canImport(Combine)
extension ProfileForm: ObservableObject {}
#endif
