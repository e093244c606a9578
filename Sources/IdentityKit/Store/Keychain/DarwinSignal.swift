#if canImport(Security)
import CoreFoundation
import Foundation

/// A signal over the system's notification centre for all processes (`CFNotificationCenterGetDarwinNotifyCenter`), which
/// delivers on the main run loop.
struct DarwinSignal: KeychainSignal {
    private let name: String

    /// - Parameter name: tells the signals of one store from others. Everybody on the device can see what is sent, so it
    ///   is made unreadable.
    init(name: String) {
        self.name = "swift-identity.keychain." + sha256(Data(name.utf8)).prefix(8).hexEncoded
    }

    func send() {
        CFNotificationCenterPostNotification(
            CFNotificationCenterGetDarwinNotifyCenter(), CFNotificationName(name as CFString), nil, nil, true)
    }

    func listen(_ body: @escaping @Sendable () -> Void) -> any Sendable {
        Listener(name: name, body: body)
    }

    /// What is to be called. The notification centre keeps a pointer to it, which is why it is counted by hand.
    private final class Target: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private final class Listener: Sendable {
        private let name: String
        private let target: Target

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            target = Target(body)
            CFNotificationCenterAddObserver(
                CFNotificationCenterGetDarwinNotifyCenter(), Unmanaged.passRetained(target).toOpaque(),
                { _, observer, _, _, _ in
                    guard let observer else { return }
                    Unmanaged<Target>.fromOpaque(observer).takeUnretainedValue().body()
                }, name as CFString, nil, .deliverImmediately)
        }

        deinit {
            CFNotificationCenterRemoveObserver(
                CFNotificationCenterGetDarwinNotifyCenter(), Unmanaged.passUnretained(target).toOpaque(),
                CFNotificationName(name as CFString), nil)
            // Signals are delivered on the main run loop: one that is on its way has arrived when this runs there.
            DispatchQueue.main.async { [target] in Unmanaged.passUnretained(target).release() }
        }
    }
}
#endif
