import Foundation
import IdentityKit

extension DashboardRecords {
    private static let nameTaken = Defect("username", "Somebody else has this user name.")
    private static let addressTaken = Defect("email", "Somebody else has this e-mail address.")

    /// The users of a ThunderID server.
    static func people(of server: LocalThunderIDServer) -> DashboardRecords {
        DashboardRecords(
            key: "person",
            list: { server.directory.all.map { ($0.id, $0.profile.label ?? $0.id) } },
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
            save: { id, values in
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
            },
            remove: { id in
                try server.changeUsers { users, revoke in
                    revoke(id)
                    users.remove(id: id)
                }
            })
    }

    /// The users of an InsForge project, who cannot be disabled.
    static func people(of server: LocalInsForgeServer) -> DashboardRecords {
        DashboardRecords(
            key: "person",
            list: { server.backend.users.all.map { ($0.id, $0.shownProfile.label ?? $0.id) } },
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
                let email = values["email"] ?? ""
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

    /// The users of an OpenID Connect server.
    static func people(of server: LocalOpenIDConnectServer) -> DashboardRecords {
        DashboardRecords(
            key: "person",
            list: { server.directory.all.map { ($0.user.id, $0.user.profile.label ?? $0.user.id) } },
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

    /// The clients of an OpenID Connect server that did not register themselves.
    static func clients(of server: LocalOpenIDConnectServer) -> DashboardRecords {
        typealias GrantType = LocalOpenIDConnectServer.Client.GrantType
        return DashboardRecords(
            key: "client", heading: "Clients",
            list: { server.clients.all.map { ($0.id, $0.name == $0.id ? $0.id : "\($0.name) (\($0.id))") } },
            fields: { id in
                let client = id.flatMap(server.clients.client)
                guard id == nil || client != nil else { return nil }
                var fields: [PageField] = []
                if id == nil { fields.append(PageField("clientID", "Client ID")) }
                fields += [
                    PageField("name", "Name") {
                        $0.value = client?.name ?? ""; $0.isRequired = false
                    },
                    PageField("redirectURIs", "Redirect URIs") {
                        $0.value = (client?.redirectURIs ?? ["http://127.0.0.1/callback"]).joined(separator: " ")
                        $0.hint = "Separated by blanks. A loopback address without a port may come with any."
                    },
                    PageField("kind", "Kind", .choice([("public", "Public"), ("confidential", "Confidential")])) {
                        $0.value = client?.isPublic ?? true ? "public" : "confidential"
                    },
                    PageField("secret", "Client secret", .password) {
                        $0.isRequired = false
                        $0.autocomplete = "off"
                        $0.hint = "For a confidential client. Leave it empty to keep the present one."
                    },
                ]
                let granted = client?.grantTypes ?? [.authorizationCode, .refreshToken]
                return fields
                    + GrantType.allCases.map { grant in
                        PageField("grant-\(grant.rawValue)", grant.inWords, .box(isTicked: granted.contains(grant))) {
                            $0.value = "on"
                        }
                    }
            },
            save: { id, values in
                guard let clientID = id ?? values["clientID"].nonEmpty else {
                    return Defect("clientID", "A client ID is needed.")
                }
                if id == nil, server.clients.client(clientID) != nil {
                    return Defect("clientID", "Another client has this ID.")
                }
                let addresses = (values["redirectURIs"] ?? "").split(separator: " ").map(String.init)
                for address in addresses where URLComponents(string: address)?.scheme == nil {
                    return Defect("redirectURIs", "\(address) is no absolute URI.")
                }
                let secret = values["secret"].nonEmpty.map { Secret($0) } ?? server.clients.client(clientID)?.secret
                let isConfidential = values["kind"] == "confidential"
                if isConfidential, secret == nil {
                    return Defect("secret", "A confidential client needs a secret.")
                }
                try server.put(
                    OpenIDClientDirectory.Change(
                        id: clientID, name: values["name"].nonEmpty ?? clientID,
                        secret: isConfidential ? secret : nil, redirectURIs: addresses,
                        grantTypes: GrantType.allCases.map(\.rawValue).filter { values["grant-\($0)"] != nil }))
                return nil
            },
            remove: { try server.removeClient($0) })
    }
}

extension LocalOpenIDConnectServer.Client.GrantType {
    fileprivate var inWords: String {
        switch self {
        case .authorizationCode: "Sign-in in a browser"
        case .refreshToken: "Refresh"
        case .clientCredentials: "The client for itself"
        case .jwtBearer: "Assertion of somebody else"
        case .tokenExchange: "Token exchange"
        case .deviceCode: "Sign-in on another device"
        }
    }
}
