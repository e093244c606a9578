import Foundation
import IdentityKit

/// The device authorization requests for which devices poll until a person decides (RFC 8628).
typealias OpenIDDevices = PolledSignIns<OpenIDDevice, OpenIDDevice.Approval>

struct OpenIDDevice: PolledRequest {
    struct Approval: Sendable {
        let userID: String
        let date: Date
    }

    let clientID: String
    let scopes: [String]
    /// The resources for which the client requested tokens (RFC 8707).
    let resources: [String]
    let userCode: String

    fileprivate func hasCode(_ typed: String) -> Bool { userCode == typed.uppercased().filter(\.isLetter) }
}

extension OpenIDDevices {
    func add(
        clientID: String, scopes: [String], resources: [String]
    ) -> (deviceCode: String, userCode: String) {
        let deviceCode = LocalIdentifiers.base64URL(byteCount: 24)
        let letters = "BCDFGHJKLMNPQRSTVWXZ"
        let userCode = String((0..<8).compactMap { _ in letters.randomElement() })
        add(
            OpenIDDevice(clientID: clientID, scopes: scopes, resources: resources, userCode: userCode), id: deviceCode)
        return (deviceCode, "\(userCode.prefix(4))-\(userCode.suffix(4))")
    }

    /// Returns the identifier of the client whose device waits with this user code; `nil` for any other code. Case, and
    /// characters other than letters, do not matter.
    func clientID(userCode: String) -> String? { waiting.first { $0.hasCode(userCode) }?.clientID }

    /// Records a person's decision about the device with this user code. Repeating the decision, as when a form is sent twice,
    /// succeeds without a change.
    /// - Returns: false if no device has this code, the code has expired, the client has already received the tokens, or a
    ///   different decision was recorded before.
    func decide(_ decision: Decision, userCode: String) -> Bool {
        switch (decision, decide(decision) { $0.hasCode(userCode) }) {
        case (.denied, .denied): true
        case (.granted(let one), .granted(let two)): one.userID == two.userID
        default: false
        }
    }
}
