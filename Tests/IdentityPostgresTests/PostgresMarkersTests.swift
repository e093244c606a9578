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
        let marker = markers.marker(for: key) {}
        markers.follow()
        #expect(marker.value == 0)
        markers.extend(until: later)
        #expect(marker.value != 0)
        markers.extend(until: ContinuousTime.now)
        #expect(marker.value == 0)
    }

    @Test("When changes may have been missed nothing is valid, and what is found after that is another value")
    func forgotten() {
        let marker = markers.marker(for: key) {}
        markers.follow()
        markers.extend(until: later)
        let known = marker.value
        markers.forget()
        markers.extend(until: later)
        #expect(marker.value == 0 && markers.epoch == nil)
        markers.follow()
        #expect(marker.value > known)
    }

    @Test("A record that is gone begins anew, and what is older than what is known changes nothing")
    func removed() throws {
        let marker = markers.marker(for: key) {}
        markers.follow()
        markers.extend(until: later)
        var values = [marker.value]
        for generation: UInt64 in [7, 6, 7, 0, 0, 1] {
            markers.note(generation, of: key, since: markers.epoch)
            values.append(marker.value)
        }
        #expect(values == [1, 2, 2, 2, 3, 3, 4])
    }

    @Test("What another server, or the same one before a restart, has shown says nothing here")
    func sights() throws {
        let sight = try #require(PostgresSight(snapshot: "10:20:10,15", server: "a"))
        #expect(try #require(PostgresSight(snapshot: "20:21:", server: "a")).continues(sight))
        #expect(try !#require(PostgresSight(snapshot: "20:21:", server: "b")).continues(sight))
        #expect(try !#require(PostgresSight(snapshot: "10:19:", server: "a")).continues(sight))
        #expect(PostgresSight(snapshot: "10", server: "a") == nil)
    }
}
#endif
