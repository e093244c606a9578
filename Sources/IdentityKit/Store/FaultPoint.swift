import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The moments at which a process can be made to die, stop or run out of disk, for tests that start processes.
///
/// `SWIFT_IDENTITY_FAULT=accounts.renamed=kill` kills the process the first time it gets there. Release builds contain
/// none of this.
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
            // To this thread: sent to the process, another thread may take it while this one runs on.
            raise(SIGSTOP)
        case "full":
            // From here on the process can write nothing, as on a full disk.
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
