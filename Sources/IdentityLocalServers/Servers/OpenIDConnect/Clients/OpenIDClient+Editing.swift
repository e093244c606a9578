import IdentityKit

extension LocalOpenIDConnectServer {
    package var firstClient: Client { clients.all.first ?? client }
}

extension LocalOpenIDConnectServer.Client: EditableClient {
    init(clientID: String) { self.init(id: clientID) }

    var clientID: String { id }

    var hasUsualAuthentication: Bool {
        switch authentication {
        case .none, .basic, .post: true
        case .privateKeyJWT, .secretJWT, .signedSecret, .federated: false
        }
    }

    var secret: Secret? {
        get {
            switch authentication {
            case .basic(let secret), .post(let secret): secret
            case .none, .privateKeyJWT, .secretJWT, .signedSecret, .federated: nil
            }
        }
        set {
            if case .post = authentication {
                authentication = newValue.map { .post($0) } ?? .none
            } else {
                authentication = newValue.map { .basic($0) } ?? .none
            }
        }
    }
}
