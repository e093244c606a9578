#if canImport(Security)
import CoreFoundation
import Foundation

/// A signal over the system's notification center for all processes (`CFNotificationCenterGetDarwinNotifyCenter`), which
/// delivers on the main run loop.
struct DarwinSignal: KeychainSignal {
    private let name: String

    /// - Parameter name: identifies the signals of one store. It is hashed, because every app can see it.
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

    /// The function to call. The notification center keeps a pointer to it, so it is retained manually.
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
            // Signals are delivered on the main run loop, so every earlier one has arrived when this runs.
            DispatchQueue.main.async { [target] in Unmanaged.passUnretained(target).release() }
        }
    }
}
#endif
