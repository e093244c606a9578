import Foundation
import IdentityKit

extension LocalThunderIDServer {
    package var firstClient: Application { clients.all.first ?? application }
}

extension LocalThunderIDServer.Application: EditableClient {
    /// Creates an application that a person adds in a form. The application's identifier is derived from the client
    /// identifier, so a restart does not change it.
    init(clientID: String) { self.init(id: Self.applicationID(ofClient: clientID), clientID: clientID) }

    var hasUsualAuthentication: Bool { if case .privateKeyJWT = clientAuthentication { false } else { true } }

    var secret: Secret? {
        get {
            switch clientAuthentication {
            case .basic(let secret), .post(let secret): secret
            case .none, .privateKeyJWT: nil
            }
        }
        set {
            if case .post = clientAuthentication {
                clientAuthentication = newValue.map { .post($0) } ?? .none
            } else {
                clientAuthentication = newValue.map { .basic($0) } ?? .none
            }
        }
    }

    /// A version 8 UUID made from a hash of the client identifier (RFC 9562 section 5.8).
    private static func applicationID(ofClient clientID: String) -> String {
        var bytes = Array(sha256(Data("application \(clientID)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { String(format: "%02x", $0) }.joined()
        let ends = [8, 12, 16, 20, 32]
        return zip([0] + ends, ends).map { digits.dropFirst($0).prefix($1 - $0) }.joined(separator: "-")
    }
}
