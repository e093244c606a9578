import Foundation
import IdentityKit

extension DashboardRecords {
    private static let nameTaken = Defect("username", "Somebody else has this user name.")
    private static let addressTaken = Defect("email", "Somebody else has this e-mail address.")

    static func people(of server: LocalThunderIDServer) -> DashboardRecords {
        DashboardRecords(
            key: "person", showsTokens: true,
            fields: { id in
                guard let id else {
                    return personFields(name: "", email: "", username: "", isDisabled: false, isNew: true)
                }
                return server.directory.user(id: id).map { user in
                    personFields(
                        name: user.attributes["name"]?.stringValue ?? "", email: user.profile.email ?? "",
                        username: user.username, isDisabled: !user.isActive, isNew: false)
                }
            },
            save: { id, values in try savePerson(id, values, at: server) },
            remove: { id in
                try server.changeUsers { users, revoke in
                    revoke(id)
                    users.remove(id: id)
                }
            })
    }

    private static func savePerson(
        _ id: String?, _ values: Values, at server: LocalThunderIDServer
    ) throws -> Defect? {
        if let defect = personDefect(values, needsUsername: true, isNew: id == nil) { return defect }
        let known = id.flatMap(server.directory.user(id:))
        var attributes = known?.attributes ?? [:]
        for name in ["name", "email", "username"] {
            attributes[name] = values[name].nonEmpty.map(JSONValue.string)
        }
        switch server.directory.conflict(of: attributes, exceptUser: id) {
        case "username": return nameTaken
        case .some: return addressTaken
        case nil: break
        }
        try server.changeUsers { users, revoke in
            let password = values["password"].nonEmpty.map { Secret($0) }
            guard let id else {
                _ = users.add(type: PersonSchema.name, attributes: attributes, password: password ?? "")
                return
            }
            users.replaceAttributes(attributes, ofUser: id)
            if let password { users.setPassword(password, ofUser: id) }
            let isActive = values["disabled"] == nil
            users.setActive(isActive, ofUser: id)
            if !isActive { revoke(id) }
        }
        return nil
    }

    /// The users of an InsForge project, who cannot be disabled.
    static func people(of server: LocalInsForgeServer) -> DashboardRecords {
        DashboardRecords(
            key: "person", showsTokens: true,
            fields: { id in
                guard let id else {
                    return personFields(name: "", email: "", username: nil, isDisabled: nil, isNew: true)
                }
                return server.backend.users.user(id: id).map { user in
                    personFields(
                        name: user.profile["name"]?.stringValue ?? "", email: user.email, username: nil,
                        isDisabled: nil, isNew: false)
                }
            },
            save: { id, values in
                if let defect = personDefect(values, needsUsername: false, isNew: id == nil) { return defect }
                let email = (values["email"] ?? "").lowercased()
                if let other = server.backend.users.user(email: email), other.id != id { return addressTaken }
                try server.changeUsers { users, now in
                    let name = JSONValue.string(values["name"].nonEmpty ?? email)
                    guard let id else {
                        var user = InsForgeUser(email: email, emailVerified: true, profile: ["name": name], at: now)
                        user.setPassword(values["password"])
                        return try users.insert(user)
                    }
                    _ = users.update(id: id, at: now) { user in
                        user.email = email
                        user.profile["name"] = name
                        if let password = values["password"].nonEmpty { user.setPassword(password) }
                    }
                }
                return nil
            },
            remove: { id in try server.changeUsers { users, _ in users.remove(id: id) } })
    }

    static func people(of server: LocalOpenIDConnectServer) -> DashboardRecords {
        DashboardRecords(
            key: "person", showsTokens: true,
            fields: { id in
                guard let id else {
                    return personFields(name: "", email: "", username: "", isDisabled: false, isNew: true)
                }
                return server.directory.all.first { $0.user.id == id }.map { record in
                    personFields(
                        name: record.user.claims["name"]?.stringValue ?? "", email: record.user.profile.email ?? "",
                        username: record.user.username, isDisabled: !record.isActive, isNew: false)
                }
            },
            save: { id, values in
                if let defect = personDefect(values, needsUsername: true, isNew: id == nil) { return defect }
                let known = server.directory.all.first { $0.user.id == id }
                var user =
                    known?.user
                    ?? LocalOpenIDConnectServer.User(
                        id: LocalIdentifiers.hex(byteCount: 12), username: "", password: "",
                        claims: ["email_verified": true])
                user.username = values["username"] ?? ""
                user.claims["name"] = values["name"].nonEmpty.map(JSONValue.string)
                user.claims["email"] = values["email"].map(JSONValue.string)
                user.claims["preferred_username"] = .string(user.username)
                if let password = values["password"].nonEmpty { user.password = Secret(password) }
                let isActive = known == nil || values["disabled"] == nil
                return try server.put(OpenIDUserDirectory.Record(user: user, isActive: isActive)) ? nil : nameTaken
            },
            remove: { try server.removeUser($0) })
    }
}
