import IdentityKit

/// The people or clients of a server, which can be added, changed and removed in forms.
struct DashboardRecords: Sendable {
    struct Defect: Sendable, Equatable {
        let field: String
        let text: String

        init(_ field: String, _ text: String) { (self.field, self.text) = (field, text) }
    }

    /// Submitted texts by field name. A box that is not ticked has no entry.
    typealias Values = [String: String]

    /// The kind of record, and the last component of the form's address: `person` or `client`.
    let key: String
    var showsTokens = false
    /// Identifier, name and cells of each client. Empty for people, who are listed from ``LocalServerReport/people``.
    var rows: @Sendable () -> [(id: String, name: String, cells: [HTML])] = { [] }
    /// Returns the form fields of a record, or of a new record if `id` is `nil`. Returns `nil` if there is no such record.
    let fields: @Sendable (_ id: String?) -> [PageField]?
    /// Changes a record, or adds a record if `id` is `nil`. Returns a defect if the values are refused.
    let save: @Sendable (_ id: String?, Values) throws -> Defect?
    let remove: @Sendable (_ id: String) throws -> Void
}

extension DashboardRecords {
    static func personFields(
        name: String, email: String, username: String?, isDisabled: Bool?, isNew: Bool
    ) -> [PageField] {
        var fields = [
            PageField("name", "Name") {
                $0.value = name; $0.isRequired = false
            },
            PageField("email", "E-mail", .line(type: "email")) { $0.value = email },
        ]
        if let username { fields.append(PageField("username", "User name") { $0.value = username }) }
        fields.append(
            PageField("password", "Password", .password) {
                $0.isRequired = isNew
                $0.autocomplete = "new-password"
                if !isNew { $0.hint = "Leave it empty to keep the present one." }
            })
        if let isDisabled, !isNew {
            fields.append(
                PageField("disabled", "Disabled", .box(isTicked: isDisabled)) {
                    $0.value = "on"
                    $0.hint = "Cannot sign in. All tokens are revoked when this is set."
                })
        }
        return fields
    }

    static func personDefect(_ values: Values, needsUsername: Bool, isNew: Bool) -> Defect? {
        let email = values["email"] ?? ""
        guard email.wholeMatch(of: #/[^@\s]+@[^@\s]+/#) != nil else {
            return Defect("email", "This is no e-mail address.")
        }
        if needsUsername, values["username"].nonEmpty == nil { return Defect("username", "A user name is needed.") }
        if isNew, values["password"].nonEmpty == nil { return Defect("password", "A password is needed.") }
        return nil
    }
}
