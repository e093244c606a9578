import IdentityKit
import IdentityLocalServers

extension ServeSetup {
    /// The document's users at a server; `nil` if the document has no `users`, so that the server keeps its default user.
    private func users(at server: Server) -> [User]? {
        users.map { $0.filter { $0.isAt(server) } }
    }

    var thunderIDConfiguration: LocalThunderIDServer.Configuration {
        LocalThunderIDServer.Configuration { configuration in
            configuration.servesGate = true
            let applications = (thunderid?.applications ?? []).map(\.application)
            if let first = applications.first {
                configuration.application = first
                configuration.additionalApplications = Array(applications.dropFirst())
            }
            guard let users = users(at: .thunderid)?.map(\.atThunderID) else { return }
            configuration.startsWithoutUsers = users.isEmpty
            if let first = users.first { configuration.user = first }
            configuration.additionalUsers = Array(users.dropFirst())
        }
    }

    var insForgeConfiguration: LocalInsForgeServer.Configuration {
        LocalInsForgeServer.Configuration { configuration in
            configuration.asksPeople = true
            configuration.legacy.servesHostedPage = true
            if let key = insforge?.anonKey { configuration.anonKey = key }
            if let key = insforge?.apiKey { configuration.apiKey = key.reveal() }
            configuration.allowedRedirectURLs = insforge?.allowedRedirectURLs ?? []
            // Use a fixed identifier, so that the well-known user is the same account in every run.
            configuration.user.id = "01900000-0000-7000-8000-0000000000b2"
            guard let users = users(at: .insforge)?.map(\.atInsForge) else { return }
            configuration.startsWithoutUsers = users.isEmpty
            if let first = users.first { configuration.user = first }
            configuration.additionalUsers = Array(users.dropFirst())
        }
    }

    /// The configuration of the OpenID Connect server. Without clients in the document, the server has its default client.
    var openIDConfiguration: LocalOpenIDConnectServer.Configuration {
        LocalOpenIDConnectServer.Configuration { configuration in
            // Allow clients to register themselves, such as the client of `identity login --resource`.
            configuration.allowsRegistration = true
            if let clients = oidc?.clients, !clients.isEmpty { configuration.clients = clients.map(\.client) }
            if let users = users(at: .oidc) { configuration.users = users.map(\.atOpenIDConnect) }
        }
    }
}

extension ServeSetup.User {
    private var names: [String: JSONValue] {
        var names: [String: JSONValue] = ["email": .string(address), "name": .string(name ?? username)]
        names["given_name"] = givenName.map(JSONValue.string)
        names["family_name"] = familyName.map(JSONValue.string)
        return names
    }

    fileprivate var atThunderID: LocalThunderIDServer.User {
        LocalThunderIDServer.User(
            id: identifier(at: .thunderid), username: username, password: password, attributes: names)
    }

    fileprivate var atInsForge: LocalInsForgeServer.User {
        LocalInsForgeServer.User(
            id: identifier(at: .insforge), email: address, password: password.reveal(), name: name ?? username,
            emailVerified: emailVerified ?? true)
    }

    fileprivate var atOpenIDConnect: LocalOpenIDConnectServer.User {
        var claims = names
        claims["preferred_username"] = .string(username)
        claims["email_verified"] = .bool(emailVerified ?? true)
        claims["groups"] = groups.map { .array($0.map(JSONValue.string)) }
        claims["roles"] = roles.map { .array($0.map(JSONValue.string)) }
        return LocalOpenIDConnectServer.User(
            id: identifier(at: .oidc), username: username, password: password, claims: claims)
    }
}

extension ServeSetup.ThunderID.Application {
    fileprivate var application: LocalThunderIDServer.Application {
        LocalThunderIDServer.Application(
            // ThunderID's flow API identifies the application by `id`, not by `clientID`.
            id: "application-\(clientID)", clientID: clientID, name: name ?? clientID,
            type: native ?? true ? .mobile : .browser, redirectURIs: redirectURIs,
            postLogoutRedirectURIs: postLogoutRedirectURIs ?? [])
    }
}

extension ServeSetup.OpenIDConnect.Client {
    fileprivate var client: LocalOpenIDConnectServer.Client {
        LocalOpenIDConnectServer.Client(
            id: clientID, name: name ?? clientID, authentication: clientSecret.map { .basic($0) } ?? .none
        ) {
            $0.redirectURIs = redirectURIs
            $0.postLogoutRedirectURIs = postLogoutRedirectURIs ?? []
        }
    }
}
