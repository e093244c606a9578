/// Waiters in the order in which they came. Adding one is an append and removing one a search, however many wait.
///
/// Used from other modules nothing here is specialized, so a call that moves a place through a closure or a collection would
/// allocate for each who waits.
package struct WaiterQueue<Waiter: Sendable>: Sendable {
    /// By rising number; the waiter is `nil` when it has left.
    private var places: [(number: UInt64, waiter: Waiter?)] = []
    /// How many of the first places are empty.
    private var head = 0
    package private(set) var count = 0

    package init() {}

    /// Adds a waiter.
    /// - Parameter number: identifies it. Numbers are given as callers come, so one of them is seldom late.
    package mutating func append(_ waiter: Waiter, as number: UInt64) {
        places.append((number, waiter))
        count += 1
        var position = places.count - 1
        while position > head, places[position - 1].number > number {
            places.swapAt(position - 1, position)
            position -= 1
        }
    }

    /// Removes the waiter with this number; `nil` when it does not wait.
    package mutating func remove(_ number: UInt64) -> Waiter? {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < places.count, places[low].number == number, let waiter = places[low].waiter else { return nil }
        places[low].waiter = nil
        count -= 1
        return waiter
    }

    /// Removes the one who came first; `nil` when nobody waits.
    package mutating func removeFirst() -> Waiter? {
        while head < places.count {
            let waiter = places[head].waiter
            places[head].waiter = nil
            head += 1
            guard let waiter else { continue }
            count -= 1
            // Seldom, so that it costs little for each.
            if head > 64, head * 2 > places.count {
                places.removeFirst(head)
                head = 0
            }
            return waiter
        }
        (places, head) = ([], 0)
        return nil
    }

    package var waiters: [Waiter] {
        var waiters: [Waiter] = []
        waiters.reserveCapacity(count)
        for place in places {
            if let waiter = place.waiter { waiters.append(waiter) }
        }
        return waiters
    }
}
