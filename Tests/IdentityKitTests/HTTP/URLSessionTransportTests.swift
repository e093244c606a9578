import IdentityKit
import TestSupport
import Testing
import TransportChecks

/// What every transport promises, of the default one.
@Suite struct URLSessionTransportTests {
    @Test("The transport conforms", .guards("redirected credentials"), arguments: TransportCheck.all)
    func conforms(check: TransportCheck) async throws {
        try await check.run(
            TransportCheck.Maker { URLSessionTransport(deadline: $0, maximumResponseSize: $1, time: $2) })
    }
}
