import IdentityKit

extension DashboardRecords {
    static func clients<Server: LocalServer>(of server: Server) -> DashboardRecords
    where Server.Backend: AuthorizationServerBackend {
        typealias Client = Server.Backend.Client
        return DashboardRecords(
            key: "client",
            rows: {
                server.clients.all.map { client in
                    let grants = Client.GrantType.allCases.filter(client.grantTypes.contains)
                    let cells: [HTML] = [
                        "<strong>\(client.name)</strong><code class=\"also\">\(client.clientID)</code>",
                        DashboardCell.addresses(client.redirectURIs),
                        HTML(grants.map { words(for: $0.rawValue) }.joined(separator: ", ")),
                    ]
                    return (client.clientID, client.name, cells)
                }
            },
            fields: { id in
                guard let id else { return clientFields(of: nil as Client?) }
                return server.clients.client(id).map { clientFields(of: $0) }
            },
            save: { id, values in
                let known = server.clients.client(id ?? values["clientID"] ?? "")
                if id == nil, known != nil { return Defect("clientID", "Another client has this ID.") }
                if let defect = clientDefect(values, id: id, known: known) { return defect }
                let clientID = id ?? values["clientID"] ?? ""
                let change = ClientChange(
                    id: clientID, name: values["name"].nonEmpty ?? clientID, secret: secret(in: values, of: known),
                    redirectURIs: redirectURIs(in: values),
                    grantTypes: Client.GrantType.allCases.map(\.rawValue).filter {
                        values["grant-\($0)"] != nil
                    })
                try server.changeClients { $0.put(change) }
                return nil
            },
            remove: { id in try server.changeClients { $0.remove(id) } })
    }

    private static func clientFields<Client: EditableClient>(of client: Client?) -> [PageField] {
        var fields: [PageField] = []
        if client == nil { fields.append(PageField("clientID", "Client ID")) }
        fields += [
            PageField("name", "Name") {
                $0.value = client?.name ?? ""
                $0.isRequired = false
            },
            PageField("redirectURIs", "Redirect URIs") {
                $0.value = (client ?? Client(clientID: "")).redirectURIs.joined(separator: " ")
                $0.isRequired = false
                $0.hint = "Separated by blanks."
            },
        ]
        if client?.hasUsualAuthentication ?? true {
            fields += [
                PageField("kind", "Kind", .choice([("public", "Public"), ("confidential", "Confidential")])) {
                    $0.value = client?.secret == nil ? "public" : "confidential"
                },
                PageField("secret", "Client secret", .password) {
                    $0.isRequired = false
                    $0.autocomplete = "off"
                    $0.hint = "For a confidential client. Leave it empty to keep the present one."
                },
            ]
        }
        return fields
            + Client.GrantType.allCases.map { grant in
                let granted = client?.grantTypes.contains(grant) ?? usualGrants.contains(grant.rawValue)
                return PageField("grant-\(grant.rawValue)", words(for: grant.rawValue), .box(isTicked: granted)) {
                    $0.value = "on"
                }
            }
    }

    private static func clientDefect(_ values: Values, id: String?, known: (any EditableClient)?) -> Defect? {
        if id == nil {
            guard let clientID = values["clientID"].nonEmpty else {
                return Defect("clientID", "A client ID is needed.")
            }
            // Client identifiers are printable ASCII (RFC 6749 appendix A.1).
            guard clientID.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                return Defect("clientID", "A client ID has only visible characters of ASCII and blanks.")
            }
        }
        for address in redirectURIs(in: values) where !RedirectURIRule.allows(address) {
            return Defect("redirectURIs", "\(address) cannot be a redirect URI. \(RedirectURIRule.advice)")
        }
        if values["grant-authorization_code"] != nil, redirectURIs(in: values).isEmpty {
            return Defect("redirectURIs", "A sign-in in a browser needs a redirect URI.")
        }
        if values["kind"] == "confidential", secret(in: values, of: known) == nil {
            return Defect("secret", "A confidential client needs a secret.")
        }
        return nil
    }

    private static func redirectURIs(in values: Values) -> [String] {
        (values["redirectURIs"] ?? "").split(separator: " ").map(String.init)
    }

    /// The typed secret, or else the client's present secret; `nil` for a public client, and when there is neither.
    private static func secret(in values: Values, of known: (any EditableClient)?) -> Secret? {
        guard values["kind"] == "confidential" else { return nil }
        return values["secret"].nonEmpty.map { Secret($0) } ?? known?.secret
    }

    /// Grant types that are ticked in the form for a new client.
    private static let usualGrants = ["authorization_code", "refresh_token"]

    private static func words(for grant: String) -> String {
        switch grant {
        case "authorization_code": "Sign-in in a browser"
        case "refresh_token": "Refresh"
        case "client_credentials": "Client credentials, without a person"
        case "urn:ietf:params:oauth:grant-type:jwt-bearer": "JWT bearer assertion"
        case "urn:ietf:params:oauth:grant-type:token-exchange": "Token exchange"
        case "urn:ietf:params:oauth:grant-type:device_code": "Sign-in on another device"
        default: grant
        }
    }
}
