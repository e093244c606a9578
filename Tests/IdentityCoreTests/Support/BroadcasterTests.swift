import IdentityCore
import Testing

/// Whoever listens gets every event once and in order, and nothing is called with a lock held.
@Suite struct BroadcasterTests {
    @Test("Every listener gets every event in the order in which they were sent")
    func order() async {
        let broadcaster = Broadcaster<Int>()
        let streams = (0..<3).map { _ in broadcaster.stream() }
        for event in 0..<100 { broadcaster.send(event) }
        broadcaster.finish()
        for stream in streams {
            #expect(await stream.reduce(into: []) { $0.append($1) } == Array(0..<100))
        }
    }

    @Test("A listener that comes later first gets the latest event that says how things are, and no other")
    func replay() async {
        let broadcaster = Broadcaster<String>()
        broadcaster.send("signed out", isState: true)
        broadcaster.send("signed in", isState: true)
        broadcaster.send("configured")
        let stream = broadcaster.stream()
        broadcaster.send("configured again")
        broadcaster.finish()
        #expect(await stream.reduce(into: []) { $0.append($1) } == ["signed in", "configured again"])
    }

    @Test("Who listens after the end gets the state and the end")
    func finished() async {
        let broadcaster = Broadcaster<Int>()
        broadcaster.send(1, isState: true)
        broadcaster.finish()
        broadcaster.send(2)
        #expect(await broadcaster.stream().reduce(into: []) { $0.append($1) } == [1])
    }

    @Test("An event that is sent while another is delivered comes after it")
    func reentrance() async {
        let broadcaster = Broadcaster<Int>()
        let listener = Locked<AsyncStream<Int>?>(nil)
        // The end of the first listener comes in the middle of the delivery of the end.
        let first = broadcaster.stream {
            broadcaster.send(2)
            listener.withLock { $0 = broadcaster.stream() }
        }
        let second = broadcaster.stream()
        broadcaster.send(1)
        broadcaster.finish()
        #expect(await first.reduce(into: []) { $0.append($1) } == [1])
        #expect(await second.reduce(into: []) { $0.append($1) } == [1])
        let late = listener.withLock { $0 }
        #expect(await late?.reduce(into: []) { $0.append($1) } == [])
    }

    @Test("Events of many senders reach all listeners in one and the same order")
    func senders() async {
        let broadcaster = Broadcaster<Int>()
        let streams = (0..<4).map { _ in broadcaster.stream() }
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<8 {
                group.addTask { for event in 0..<500 { broadcaster.send(sender * 1000 + event) } }
            }
        }
        broadcaster.finish()
        var orders: [[Int]] = []
        for stream in streams { orders.append(await stream.reduce(into: []) { $0.append($1) }) }
        #expect(orders[0].count == 4000)
        #expect(orders.allSatisfy { $0 == orders[0] })
    }

    @Test("A listener that is cancelled is told so once and gets nothing more")
    func cancelled() async {
        let broadcaster = Broadcaster<Int>()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let stream = broadcaster.stream { end.yield() }
        let listener = Task { await stream.reduce(into: []) { $0.append($1) } }
        listener.cancel()
        _ = await listener.value
        var iterator = ends.makeAsyncIterator()
        await iterator.next()
        broadcaster.send(1)
        end.finish()
        #expect(await iterator.next() == nil)
    }
}

@Suite struct ChangeFeedTests {
    @Test("An older generation is never told after a newer one, and none twice")
    func generations() async {
        let feed = ChangeFeed()
        let changes = feed.stream()
        let key = StoreKey(.device, "token")
        for generation: UInt64 in [1, 3, 2, 3, 4] {
            feed.send(StoreChange(key: key, generation: generation, hasContent: true))
        }
        var iterator = changes.makeAsyncIterator()
        for expected: UInt64 in [1, 3, 4] { #expect(await iterator.next()?.generation == expected) }
        feed.forgetGenerations()
        feed.send(StoreChange(key: key, generation: 1, hasContent: true))
        #expect(await iterator.next()?.key == StoreKey(.accounts, ""))
        #expect(await iterator.next()?.key == key)
    }

    @Test("A slow listener gets a change that very many others have followed")
    func manyChanges() async {
        let feed = ChangeFeed()
        var changes = feed.stream(of: .accounts).makeAsyncIterator()
        for number in 0...10_000 {
            feed.send(StoreChange(key: StoreKey(.accounts, "\(number)"), generation: 1, hasContent: false))
        }
        #expect(await changes.next()?.key.name == "0")
    }

    @Test("A listener to one collection gets nothing else, and nothing else is watched for it")
    func collections() async {
        let feed = ChangeFeed()
        #expect(feed.collections == [])
        let (choices, devices) = (feed.stream(of: .clients), feed.stream(of: .device))
        #expect(feed.collections == [.clients, .device])
        for (collection, name) in [(StoreKey.Collection.accounts, "a"), (.device, "d"), (.clients, "s")] {
            feed.send(StoreChange(key: StoreKey(collection, name), generation: 1, hasContent: true))
        }
        var (choice, device) = (choices.makeAsyncIterator(), devices.makeAsyncIterator())
        #expect(await choice.next()?.key.name == "s")
        #expect(await device.next()?.key.name == "d")
        let everything = feed.stream()
        #expect(feed.collections == nil)
        withExtendedLifetime(everything) {}
    }

    @Test("Others are watched as long as somebody listens, and again when somebody comes back")
    func watching() async {
        let (steps, step) = AsyncStream.makeStream(of: String.self)
        let feed = ChangeFeed { _ in
            step.yield("noted")
            return {
                await withTaskCancellationHandler {
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                } onCancel: {
                    step.yield("ended")
                }
            }
        }
        var iterator = steps.makeAsyncIterator()
        for _ in 0..<2 {
            let listeners = (0..<2).map { _ in feed.stream() }.map { stream in Task { for await _ in stream {} } }
            #expect(await iterator.next() == "noted")
            for listener in listeners {
                listener.cancel()
                await listener.value
            }
            #expect(await iterator.next() == "ended")
        }
    }
}
