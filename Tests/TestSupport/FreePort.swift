/// A port of this machine that a test names before anything listens there.
package enum FreePort {
    /// Returns a port that the system gives to nobody.
    ///
    /// One of those that it gives away could go to a connection of another test between the moment it is chosen and the
    /// moment it is used. This one is below the ephemeral ports of Linux (from 32768) and of Apple's systems (from 49152),
    /// and chosen among so many that two tests do not meet.
    package static func find() -> Int { Int.random(in: 20_000..<32_000) }
}
