import Foundation

/// Named points in the code at which tests can kill or stop the process, or simulate a full disk.
///
/// The environment variable `SWIFT_IDENTITY_FAULT=accounts.renamed=kill` kills the process when it first reaches the
/// point `accounts.renamed`. Release builds contain none of this.
package enum FaultPoint {
    #if DEBUG
    private static let planned: (point: String, action: String)? = {
        guard let value = getenv("SWIFT_IDENTITY_FAULT").map({ String(cString: $0) }) else { return nil }
        let parts = value.split(separator: "=").map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }()

    package static func reached(_ point: @autoclosure () -> String) {
        guard let planned, planned.point == point() else { return }
        switch planned.action {
        case "kill":
            kill(getpid(), SIGKILL)
        case "stop":
            // Send the signal to this thread. A signal to the process may reach another thread first, while this one
            // still runs.
            raise(SIGSTOP)
        case "full":
            // From now on every write to a file fails, as on a full disk.
            signal(SIGXFSZ, SIG_IGN)
            #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            #else
            let resource = RLIMIT_FSIZE
            #endif
            var limit = rlimit()
            getrlimit(resource, &limit)
            limit.rlim_cur = 0
            setrlimit(resource, &limit)
        default:
            break
        }
    }
    #else
    @inline(__always) package static func reached(_ point: @autoclosure () -> String) {}
    #endif
}
