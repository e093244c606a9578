/// A queue of waiters. Adding appends, and removing from the middle is a binary search, so both stay fast however many
/// wait.
///
/// Other modules use the generic code unspecialized, where passing a place through a closure or a collection would
/// allocate for each waiter.
package struct WaiterQueue<Waiter: Sendable>: Sendable {
    /// Places by rising number; the waiter is `nil` after it has left.
    private var places: [(number: UInt64, waiter: Waiter?)] = []
    /// Number of empty places at the front.
    private var head = 0
    package private(set) var count = 0

    package init() {}

    /// Adds a waiter at the end.
    /// - Parameter number: identifies the waiter. Numbers are assigned in order before the queue is locked, so they
    ///   seldom arrive out of order.
    package mutating func append(_ waiter: Waiter, as number: UInt64) {
        places.append((number, waiter))
        count += 1
        var position = places.count - 1
        while position > head, places[position - 1].number > number {
            places.swapAt(position - 1, position)
            position -= 1
        }
    }

    /// Removes the waiter with this number; `nil` when it is not in the queue.
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

    /// Removes the first waiter; `nil` for an empty queue.
    package mutating func removeFirst() -> Waiter? {
        while head < places.count {
            let waiter = places[head].waiter
            places[head].waiter = nil
            head += 1
            guard let waiter else { continue }
            count -= 1
            // Compact seldom, so that the cost per waiter stays small.
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
