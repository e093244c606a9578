import TestSupport
import Testing

/// Listeners come and go in one process while events are sent: nothing may wait for ever.
@Suite(.serialized, .endsInTime) struct ListenerTests {
    @Test("Clients let go of and listeners cancelled while a store in memory is written")
    func memory() async throws {
        let rounds = Extent.rounds(10_000, full: 100_000)
        let probe = try ProbeProcess(["do=listen", "rounds=\(rounds)"])
        #expect(await probe.end().lines == ["done"])
    }

    @Test("The same with a store in files, which is also watched for the changes of others")
    func files() async throws {
        let folder = try TemporaryFolder()
        let rounds = Extent.rounds(1000, full: 20_000)
        let probe = try ProbeProcess(["do=listen", "rounds=\(rounds)", "store=\(folder.file("store").path)"])
        #expect(await probe.end().lines == ["done"])
    }
}
