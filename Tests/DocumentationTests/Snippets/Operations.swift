import Foundation
import IdentityKit

func watch(
    _ environment: IdentityEnvironment, log: @escaping @Sendable (String) -> Void,
    alert: @escaping @Sendable (String) -> Void
) -> Task<Void, Never> {
    // snippet: watching-refreshes
    let refreshes = environment.refreshes.reports()
    let watching = Task {
        for await report in refreshes {
            switch report {
            case .refreshed, .tolerated: break
            case .suspended(let account, let suspension): log("\(account) needs a sign-in: \(suspension.reason)")
            case .resumed(let account): log("\(account) needs no sign-in any more")
            case .postponed(let account, let reason):
                log("\(account): refresh postponed: \(reason.localizedDescription)")
            case .notStored(let account, let reason): alert("\(account): not stored: \(reason.localizedDescription)")
            case .stored(let account): log("\(account): stored after all")
            case .droppedIDToken(let account, let reason):
                log("\(account): its ID token was dropped: \(reason.localizedDescription)")
            case .misconfigured(_, let reason): alert("Check the configuration: \(reason.localizedDescription)")
            case .revocationPostponed(let account, let reason):
                log("\(account): revoked later: \(reason.localizedDescription)")
            case .notRevoked(let account, let reason): log("\(account): not revoked: \(reason.localizedDescription)")
            }
        }
    }
    // end snippet
    return watching
}

// snippet: observer
struct Journal: IdentityObserver {
    let log: @Sendable (EventLevel, String) -> Void
    let measure: @Sendable (_ name: String, _ code: String?, Duration?) -> Void

    func observe(_ event: ObservedEvent) {
        log(event.level, event.description)
        measure(event.name, event.failureCode, event.duration)
    }
}
// end snippet

#if os(Linux) || os(macOS)
func prepareForTheEnd(_ environment: IdentityEnvironment) -> TerminationSignals {
    // snippet: ending-a-process
    let signals = TerminationSignals(waitingFor: environment.refreshes, atMost: .seconds(40))
    // end snippet
    return signals
}
#endif
