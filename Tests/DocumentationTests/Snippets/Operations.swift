import IdentityKit

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

func signInWithOrWithout(_ options: SignInWishes, _ client: IdentityClient) async throws {
    // snippet: recognizing-an-error
    do {
        try await client.signIn(with: "work", options: options)
    } catch let error as any IdentityFailure where error.failureCode == "sign_in_options_unusable" {
        try await client.signIn(with: "work")
    }
    // end snippet
}

#if os(Linux) || os(macOS)
func prepareForTheEnd(_ environment: IdentityEnvironment) -> TerminationSignals {
    // snippet: ending-a-process
    let signals = TerminationSignals(waitingFor: environment, atMost: .seconds(40))
    // end snippet
    return signals
}
#endif
