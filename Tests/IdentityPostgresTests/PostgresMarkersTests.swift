#if PostgreSQL
import IdentityKit
import TestSupport
import Testing

@testable import IdentityPostgres

/// How long what is known of a record is taken for unchanged.
@Suite(.endsInTime) struct PostgresMarkersTests {
    private let markers = PostgresMarkers()
    private let key = StoreKey(.accounts, "work/ada")
    private var later: UInt64 { ContinuousTime.now + 3_600_000_000_000 }

    @Test("It is valid for the time after the server was heard of, and no longer")
    func validity() {
        let marker = markers.marker(for: key)
        markers.follow()
        #expect(marker.value == 0)
        markers.extend(until: later)
        #expect(marker.value != 0)
        markers.extend(until: ContinuousTime.now)
        #expect(marker.value == 0)
    }

    @Test("When changes may have been missed nothing is valid, and what is found after that is another value")
    func forgotten() {
        let marker = markers.marker(for: key)
        markers.follow()
        markers.extend(until: later)
        let known = marker.value
        markers.forget()
        markers.extend(until: later)
        #expect(marker.value == 0 && markers.epoch == nil)
        markers.follow()
        #expect(marker.value > known)
    }
}
#endif
