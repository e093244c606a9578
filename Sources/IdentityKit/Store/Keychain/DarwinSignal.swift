#if canImport(Security)
import CoreFoundation
import Foundation

/// Signals between processes over the system's notification center (`CFNotificationCenterGetDarwinNotifyCenter`), which
/// delivers them on the main run loop.
struct DarwinSignal: KeychainSignal {
    private let name: String

    /// Makes the signal of one store.
    /// - Parameter name: identifies the store. Only its hash is sent, because every app can see the names of signals.
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

    /// The function to call for each signal. The object is retained manually, because the notification center keeps only a
    /// pointer to it.
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
            // Signals arrive on the main run loop, so all earlier ones have been handled when this closure runs.
            DispatchQueue.main.async { [target] in Unmanaged.passUnretained(target).release() }
        }
    }
}
#endif
