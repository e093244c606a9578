import IdentityCore
import Testing

/// Waiters keep the order in which they came, whoever leaves.
@Suite struct WaitingLineTests {
    @Test("Waiters come out in the order in which they came, also one whose number was late")
    func order() {
        var line = WaiterQueue<String>()
        line.append("first", as: 1)
        line.append("third", as: 7)
        line.append("second", as: 3)
        #expect(line.waiters == ["first", "second", "third"])
    }

    @Test("Who leaves is gone once, and the others keep their places")
    func leaving() {
        var line = WaiterQueue<Int>()
        for number in 0..<1000 { line.append(number, as: UInt64(number)) }
        for number in stride(from: 0, to: 1000, by: 2) {
            #expect(line.remove(UInt64(number)) == number)
            #expect(line.remove(UInt64(number)) == nil)
        }
        #expect(line.count == 500 && line.waiters == Array(stride(from: 1, to: 1000, by: 2)))
        #expect(line.remove(1000) == nil)
    }

    @Test("Nobody waits when the last has left, and the line can be used again")
    func empty() {
        var line = WaiterQueue<Int>()
        #expect(line.remove(0) == nil && line.waiters.isEmpty)
        line.append(1, as: 1)
        #expect(line.remove(1) == 1 && line.count == 0 && line.waiters.isEmpty)
        line.append(2, as: 2)
        #expect(line.waiters == [2])
    }
}
