import Testing

@testable import IdentityKit

@Suite struct ChainAttemptSummaryTests {
    private func attempt(_ provider: String, _ outcome: ChainAttempt.Outcome) -> ChainAttempt {
        ChainAttempt(provider: provider, question: .silent, outcome: outcome, duration: .zero)
    }

    @Test("Providers with the same answer are told of together, and nothing is told twice")
    func grouped() {
        let ended = ChainAttempt.Outcome.absent(.sessionEnded("It was revoked."))
        let attempts = [
            attempt("work", ended), attempt("work", ended), attempt("home", .absent(.neverSignedIn)),
            attempt("any", .absent(.neverSignedIn)), attempt("work", .absent(.neverSignedIn)), attempt("any", ended),
        ]
        #expect(
            AbsenceReason.chain(attempts).description
                == "work, any: the session has ended: It was revoked; home, any, work: nobody has signed in")
        #expect(ClientError.notSignedIn("It was revoked.").message == "Nobody is signed in (It was revoked).")
        #expect(ClientError.notSignedIn("").message == "Nobody is signed in.")
    }
}
