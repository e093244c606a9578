import Foundation
import IdentityKit

/// The devices that wait for a person (RFC 8628).
final class OpenIDDevices: Sendable {
    enum Decision: Sendable {
        case pending
        case denied
        case granted(userID: String, at: Date)

        /// Whether it is the same decision of the same person, as when a form is sent twice.
        func repeats(_ other: Decision) -> Bool {
            switch (self, other) {
            case (.denied, .denied): true
            case (.granted(let one, _), .granted(let two, _)): one == two
            default: false
            }
        }
    }

    struct Device: Sendable {
        let clientID: String
        let scopes: [String]
        let userCode: String
        let expiresAt: Date
        var interval: TimeInterval
        var askedAt: Date?
        var decision = Decision.pending
    }

    enum PollResult: Sendable {
        case granted(userID: String, at: Date, scopes: [String])
        case pending
        case slowDown
        case denied
        case expired
        case unknown
    }

    private let devices = Locked<[String: Device]>([:])
    private let lifetime: Duration
    private let interval: Duration
    private let time: TimeSource

    init(lifetime: Duration, interval: Duration, time: TimeSource) {
        self.lifetime = lifetime
        self.interval = interval
        self.time = time
    }

    /// Adds a device. An expired one is kept for another lifetime, so that it learns that it is too late.
    func add(clientID: String, scopes: [String]) -> (deviceCode: String, userCode: String) {
        let deviceCode = LocalIdentifiers.base64URL(byteCount: 24)
        let letters = "BCDFGHJKLMNPQRSTVWXZ"
        let userCode = String((0..<8).compactMap { _ in letters.randomElement() })
        let now = time.now
        let device = Device(
            clientID: clientID, scopes: scopes, userCode: userCode, expiresAt: now + lifetime.timeInterval,
            interval: interval.timeInterval)
        devices.withLock { devices in
            devices = devices.filter { now < $1.expiresAt + lifetime.timeInterval }
            devices[deviceCode] = device
        }
        return (deviceCode, "\(userCode.prefix(4))-\(userCode.suffix(4))")
    }

    /// Whose device waits with this code, typed in any fashion.
    func clientID(userCode: String) -> String? {
        let typed = Self.normalized(userCode)
        return waiting.first { $0.userCode == typed }?.clientID
    }

    var waiting: [Device] {
        let now = time.now
        return devices.withLock { Array($0.values) }.filter { device in
            guard case .pending = device.decision else { return false }
            return now < device.expiresAt
        }
    }

    /// Notes a decision; false when no device waits with this code, typed in any fashion. Repeating the same decision
    /// succeeds and changes nothing.
    func decide(_ decision: Decision, userCode: String) -> Bool {
        let typed = Self.normalized(userCode)
        return devices.withLock { devices in
            let match = devices.first { $1.userCode == typed && time.now < $1.expiresAt }
            guard let (key, device) = match else { return false }
            guard case .pending = device.decision else { return decision.repeats(device.decision) }
            devices[key]?.decision = decision
            return true
        }
    }

    private static func normalized(_ userCode: String) -> String { userCode.uppercased().filter(\.isLetter) }

    /// Handles the poll of a device (RFC 8628 section 3.5). A grant is returned once.
    func ask(_ deviceCode: String, clientID: String) -> PollResult {
        devices.withLock { devices in
            guard var device = devices[deviceCode], device.clientID == clientID else { return .unknown }
            guard time.now < device.expiresAt else { return .expired }
            switch device.decision {
            case .denied:
                return .denied
            case .granted(let userID, let date):
                devices[deviceCode] = nil
                return .granted(userID: userID, at: date, scopes: device.scopes)
            case .pending:
                let isTooFast = device.askedAt.map { time.now < $0 + device.interval } ?? false
                device.askedAt = time.now
                if isTooFast { device.interval += 5 }
                devices[deviceCode] = device
                return isTooFast ? .slowDown : .pending
            }
        }
    }
}
